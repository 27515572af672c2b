"""`kvaudit capture` against servers that answer as engines do: the folder, the manifest, and every way to fail."""

from __future__ import annotations

import hashlib
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from click import ClickException
from click.testing import CliRunner

from tests.capture import fake_engines
from tests.capture.fake_engines import SECRET, TOKENS_8, TOKENS_16, Fake, serving
from tests.conftest import Finished, Run
from tests.model_files import LLAMA, write_json


def manifest_of(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def value(finished: Finished, name: str) -> Any:
    return json.loads(finished.stdout)["fields"][name]["value"]


@pytest.fixture
def run() -> Run:
    """The command in this process: what is tested here starts no program of its own."""

    def runner(*arguments: str, cwd: Path | None = None, stdin: str | None = None, **environment: str) -> Finished:
        from kvaudit.cli.main import cli

        done = CliRunner(env=environment).invoke(cli, arguments, standalone_mode=False)
        code = 2 if isinstance(done.exception, ClickException) else done.return_value
        stderr = done.stderr + (str(done.exception) if done.exception else "")
        return Finished([*arguments], code, done.stdout, stderr)

    return runner


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "models" / "atlas-1b"
    write_json(folder / "config.json", LLAMA)
    return folder


def test_a_vllm_server_becomes_a_run_folder(run: Run, tmp_path: Path, model: Path) -> None:
    with serving(fake_engines.vllm(str(model))) as url:
        done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "captured vllm 0.32.0" in done.stderr
    manifest = manifest_of(tmp_path / "run")
    assert manifest["document"] == "capture"
    assert manifest["engine"] == {"name": "vllm", "version": "0.32.0", "by": "/v1/models"}
    for entry in manifest["files"]:
        data = (tmp_path / "run" / entry["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"])
    assert {entry["path"] for entry in manifest["files"]} >= {
        "endpoints/models.json",
        "endpoints/version.json",
        "endpoints/metrics.txt",
        "endpoints/server_info.json",
        "checkpoint/config.json",
        "process/launch.sh",
    }
    assert (tmp_path / "run/checkpoint/config.json").read_bytes() == (model / "config.json").read_bytes()


def test_the_folder_is_an_arm_with_every_piece_read(run: Run, tmp_path: Path, model: Path) -> None:
    with serving(fake_engines.vllm(str(model), tokens=TOKENS_8)) as url:
        assert run("capture", "--url", url, "--output", str(tmp_path / "run")).returncode == 0
    done = run("record", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert value(done, "engine.version") == "0.32.0"
    assert value(done, "scheduler.max_num_seqs") == 128
    assert value(done, "kv_cache.tokens") == TOKENS_8 == 1_048_576
    assert value(done, "kv_cache.bytes_per_token") == 1024
    assert value(done, "kv_cache.dtype").startswith("fp8"), "1 byte per element of a model with 1024 elements a token"
    assert value(done, "runtime.prefix_hit_rate") == 0.25
    kinds = {source["path"].rpartition("run/")[2]: source["kind"] for source in json.loads(done.stdout)["sources"]}
    assert [path for path, kind in kinds.items() if kind == "ignored"] == ["process/launch.sh"], "the fake is no engine's command"


def test_server_info_repeats_the_request_and_resolves_no_kv_type(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.vllm()) as url:
        assert run("capture", "--url", url, "--output", str(tmp_path / "run")).returncode == 0
    record = json.loads(run("record", str(tmp_path / "run/endpoints/server_info.json")).stdout)
    dtype = record["fields"]["kv_cache.dtype"]
    assert dtype["state"] == "unknown"
    assert [(fact["value"], fact["stage"]) for fact in dtype["facts"]] == [("auto", "requested")]
    assert record["fields"]["kv_cache.tokens"]["value"] == TOKENS_16


def test_secrets_never_reach_the_folder(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDQ7xZkWmYvPq3t"
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\nq7Zx+w==\n-----END PRIVATE KEY-----"
    flag = "  --api-key\n  hunter2-4712\nPASSWORD=hunter2-4713,c=4714d\n"
    text = f"INFO starting\n--api-key hunter2-4711 HF_TOKEN={SECRET}\n{key}\n{flag}"
    log.write_text(text, encoding="utf-8")
    fake = fake_engines.vllm()
    fake.key = "sesame-opens-99"
    with serving(fake) as url:
        arguments = ("--url", url, "--log", str(log), "--api-key-env", "KEY_OF_SERVER", "--output", str(tmp_path / "run"))
        done = run("capture", *arguments, KEY_OF_SERVER=fake.key)
    assert done.returncode == 0, done.stderr
    written = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    for secret in (SECRET, "hunter2-4711", "hunter2-4712", "hunter2-4713", "4714d", "q7Zx", fake.key):
        assert secret.encode() not in written
    copied = (tmp_path / "run/server.log").read_bytes()
    assert b"<secret-" in copied
    assert copied.count(b"\n") == text.count("\n")


def test_sglang_says_what_its_workers_settled_on(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.sglang()) as url:
        done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "--enable-metrics" in done.stderr
    record = run("record", str(tmp_path / "run"))
    assert value(record, "engine.version") == "0.5.9"
    assert value(record, "kv_cache.dtype") == "fp8_e4m3"
    assert value(record, "kv_cache.tokens") == TOKENS_8
    assert "letmein-4711" not in (tmp_path / "run/endpoints/server_info.json").read_text(encoding="utf-8")


def test_sglang_of_other_releases_repeats_the_launch_only(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.sglang(version="0.5.20")) as url:
        assert run("capture", "--url", url, "--output", str(tmp_path / "run")).returncode == 0
    record = json.loads(run("record", str(tmp_path / "run/endpoints/server_info.json")).stdout)
    assert record["fields"]["kv_cache.dtype"]["state"] == "unknown"


def test_llama_cpp_is_known_by_its_endpoints_and_its_log_remedy_is_named(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.llama_cpp()) as url:
        done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    missing = {piece["what"]: piece for piece in manifest_of(tmp_path / "run")["missing"]}
    assert "-lv 4" in missing["log"]["remedy"]
    assert missing["/metrics: counters and cache configuration"]["remedy"] == "start the server with --metrics"
    record = run("record", str(tmp_path / "run"))
    assert value(record, "engine.version") == "11434 (515e85511)"
    assert value(record, "model.max_len") == 2048
    assert value(record, "scheduler.max_num_seqs") == 4


def test_server_info_that_is_closed_is_named_with_its_remedy_and_its_danger(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.vllm(dev=False)) as url:
        done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 0
    assert "VLLM_SERVER_DEV_MODE=1" in done.stderr
    (piece,) = [one for one in manifest_of(tmp_path / "run")["missing"] if one["what"].startswith("/server_info")]
    assert "control the server without a login" in piece["remedy"]


def test_only_get_is_ever_sent(run: Run, tmp_path: Path) -> None:
    fake = fake_engines.vllm()
    with serving(fake) as url:
        assert run("capture", "--url", url, "--output", str(tmp_path / "run")).returncode == 0
    assert fake.methods == {"GET"}


def test_two_captures_of_one_server_are_comparable(run: Run, tmp_path: Path, model: Path) -> None:
    with serving(fake_engines.vllm(str(model))) as url:
        for name in ("first", "second"):
            assert run("capture", "--url", url, "--output", str(tmp_path / name)).returncode == 0
    done = run("diff", str(tmp_path / "first"), str(tmp_path / "second"), "--format", "json")
    report = json.loads(done.stdout)
    assert (report["verdict"], done.returncode) == ("comparable", 0), done.stderr
    assert [one for one in report["differences"] if one["class"] != "cosmetic"] == []


def failing(run: Run, tmp_path: Path, *arguments: str) -> str:
    """The message of a capture that must fail with 2 and leave nothing."""
    output = tmp_path / "out"
    output.mkdir()
    done = run("capture", *arguments, "--output", str(output / "run"))
    assert done.returncode == 2, done.stderr
    assert left_behind(output) == []
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_closed_port_says_so(run: Run, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "nothing listens there" in failing(run, tmp_path, "--url", f"http://127.0.0.1:{port}")


def test_a_slow_endpoint_ends_the_capture(run: Run, tmp_path: Path) -> None:
    fake = fake_engines.vllm()
    fake.slow["/metrics"] = 3.0
    with serving(fake) as url:
        message = failing(run, tmp_path, "--url", url, "--timeout", "0.5")
    assert "/metrics: no whole answer within 0.5 s" in message


def test_an_endpoint_that_dribbles_ends_the_capture(run: Run, tmp_path: Path) -> None:
    fake = fake_engines.vllm()
    fake.dribble.add("/metrics")
    with serving(fake) as url:
        message = failing(run, tmp_path, "--url", url, "--timeout", "0.5")
    assert "no whole answer within 0.5 s" in message


@pytest.mark.parametrize("request_number", [2, 3, 4, 5])
def test_a_server_that_dies_half_way_ends_the_capture(run: Run, tmp_path: Path, request_number: int) -> None:
    fake = fake_engines.vllm()
    fake.dying = request_number
    with serving(fake) as url:
        message = failing(run, tmp_path, "--url", url)
    assert "then went away" in message


def test_an_answer_that_breaks_off_ends_the_capture(run: Run, tmp_path: Path) -> None:
    fake = fake_engines.vllm()
    fake.short.add("/metrics")
    with serving(fake) as url:
        message = failing(run, tmp_path, "--url", url)
    assert "broke off" in message


def test_a_redirect_is_not_followed(run: Run, tmp_path: Path) -> None:
    elsewhere = fake_engines.vllm()
    fake = Fake()
    with serving(elsewhere) as other, serving(fake) as url:
        fake.redirects = {path: other + path for path in ("/v1/models", "/version", "/metrics")}
        message = failing(run, tmp_path, "--url", url)
    assert elsewhere.asked == []
    assert "no engine that kvaudit knows" in message


def test_a_server_that_wants_a_key_says_how_to_give_it(run: Run, tmp_path: Path) -> None:
    fake = fake_engines.sglang()
    fake.key = "sesame-opens-99"
    with serving(fake) as url:
        assert "--api-key-env NAME" in failing(run, tmp_path, "--url", url)


def test_an_answer_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from kvaudit.capture.fetching import Server
    from kvaudit.errors import InputError

    fake = fake_engines.vllm()
    fake.routes["/metrics"] = (200, b"x" * 4096)
    with serving(fake) as url, pytest.raises(InputError, match="larger than"):
        Server(url, 5.0).get("/metrics", limit=1024)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    from kvaudit.capture.folder import RunFolder
    from kvaudit.capture.session import capture
    from kvaudit.capture.wish import Wish
    from kvaudit.errors import InputError
    from kvaudit.redaction import Redactor

    written: list[str] = []
    real = RunFolder.add

    def add(self: RunFolder, name: str, *arguments: Any, **more: Any) -> None:
        written.append(name)
        if len(written) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(self, name, *arguments, **more)

    monkeypatch.setattr(RunFolder, "add", add)
    with serving(fake_engines.vllm()) as url, pytest.raises(InputError, match="No space left on device"):
        capture(Wish(url, str(tmp_path / "run")), Redactor())
    assert left_behind(tmp_path) == []


def test_a_folder_that_is_there_is_not_written_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/old.log").write_text("kept", encoding="utf-8")
    with serving(fake_engines.vllm()) as url:
        done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "not written over" in done.stderr
    assert left_behind(tmp_path / "run") == ["old.log"]


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1", "http://", "http://user:pass@127.0.0.1:1", "http://127.0.0.1:1/?q=1", "http://a b"]
)
def test_an_address_that_is_none_is_refused(run: Run, tmp_path: Path, url: str) -> None:
    done = run("capture", "--url", url, "--output", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "--url" in done.stderr


def test_a_log_that_is_too_long_keeps_both_ends_and_says_so(tmp_path: Path) -> None:
    from kvaudit.capture.folder import RunFolder
    from kvaudit.capture.logs import copy_log
    from kvaudit.redaction import Redactor

    log = tmp_path / "server.log"
    log.write_bytes(b"".join(b"line %03d\n" % number for number in range(1, 101)))
    (tmp_path / "run").mkdir()
    folder = RunFolder(tmp_path / "run")
    copy_log(log, folder, Redactor(), limit=200)
    lines = (tmp_path / "run/server.log").read_text(encoding="utf-8").splitlines()
    assert lines[:11] == [f"line {number:03d}" for number in range(1, 12)]
    assert lines[11] == "[kvaudit capture: 78 lines from line 12 on are left out here]"
    assert lines[12:] == [f"line {number:03d}" for number in range(90, 101)]
    assert folder.entries[0]["left_out_lines"] == 78


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    from kvaudit.capture.folder import RunFolder
    from kvaudit.capture.logs import copy_log
    from kvaudit.redaction import Redactor

    log = tmp_path / "server.log"
    log.write_bytes(b"caf\xe9 \x00\xff\r\nsecond\r\nlast")
    (tmp_path / "run").mkdir()
    copy_log(log, RunFolder(tmp_path / "run"), Redactor())
    assert (tmp_path / "run/server.log").read_bytes() == b"caf\xe9 \x00\xff\r\nsecond\r\nlast\n"
