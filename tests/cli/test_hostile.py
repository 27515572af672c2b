"""Hostile and damaged logs through the front door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.conftest import ROOT

VLLM = ROOT / "fixtures" / "vllm"
LOG = VLLM / "hostile-lines" / "server.log"
SECRETS = ("sk-fixture-7Q2mZr81LkWw90aXc", "hf_fixtureAbCdEfGhIjKlMnOpQr", "abcdef0123456789abcdef")

COMMANDS = [
    ["check", "server.log"],
    ["check", "server.log", "--format", "json"],
    ["check", "server.log", "--fail-on", "warning"],
    ["record", "server.log"],
    ["record", "server.log", "--redact", "full"],
    ["why", "server.log", "run.args"],
    ["why", "server.log", "engine.notices"],
    ["diff", "server.log", "server.log"],
    ["diff", "server.log", "server.log", "--format", "json"],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_secrets_markup_and_control_characters_stay_out(arguments: list[str], call: Call) -> None:
    done = call(*arguments, cwd=LOG.parent)
    assert done.code in (0, 1)
    written = done.out + done.err
    assert not any(secret in written for secret in SECRETS)
    assert not any(character in written for character in "\x1b\x07\u202e\u200b")
    assert "Traceback" not in done.err


OTHER = "Zq81LkWw90aXcPd7mm"


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_secrets_in_the_engine_line_and_the_environment_stay_out_too(arguments: list[str], tmp_path: Path, call: Call) -> None:
    text = LOG.read_text().replace("trust_remote_code=False", f"trust_remote_code=False, hf_token='{OTHER}'")
    text = text.replace("'max_num_seqs': 64", f"'max_num_seqs': 64, 'env': {{'WANDB_API_KEY': '{OTHER}'}}")
    (tmp_path / "server.log").write_text(text)
    done = call(*arguments, cwd=tmp_path)
    assert done.code in (0, 1)
    assert OTHER not in done.out + done.err


def test_a_secret_that_follows_its_flag_in_a_list_stays_out(tmp_path: Path, call: Call) -> None:
    text = LOG.read_text().replace("'max_num_seqs': 64", f"'max_num_seqs': 64, 'tool': ['--api-key', '{OTHER}']")
    (tmp_path / "server.log").write_text(text)
    done = call("record", "server.log", cwd=tmp_path)
    assert done.json["fields"]["run.args"]["value"]["tool"] == ["--api-key", done.json["fields"]["run.args"]["value"]["tool"][1]]
    assert OTHER not in done.out


def test_markup_is_shown_as_text(call: Call) -> None:
    done = call("why", "server.log", "run.args", cwd=LOG.parent)
    assert "[bold red]bench[/]" in " ".join(done.out.split())


def test_full_redaction_hides_hosts_and_paths(call: Call) -> None:
    plain = call("record", "server.log", cwd=LOG.parent).out
    full = call("record", "server.log", "--redact", "full", cwd=LOG.parent).out
    assert "0.0.0.0" in plain  # noqa: S104 - an address in a log
    assert "0.0.0.0" not in full  # noqa: S104
    assert "192.0.2." not in full


@pytest.mark.parametrize("format_", ["text", "json"])
@pytest.mark.parametrize("filler", ["x", "[/]", "é", "\u202e", "a=b, "])
def test_a_line_of_five_megabytes(format_: str, filler: str, tmp_path: Path, call: Call) -> None:
    lines = (VLLM / "flag-honoured" / "server.log").read_text().split("\n")
    size = 5_000_000 // len(filler.encode())
    capacity = next(number for number, line in enumerate(lines) if "GPU KV cache size" in line)
    lines.insert(
        capacity,
        f"INFO 06-12 09:12:53 [x.py:1] {filler * size} api_key=Zq81LkWw90aXcPd7mm GPU KV cache size: 7 tokens {filler * 40}",
    )
    (tmp_path / "server.log").write_text("\n".join(lines))
    done = call("check", "server.log", "--format", format_, cwd=tmp_path)
    assert done.code in (0, 1, 3)
    assert "Zq81LkWw90aXcPd7mm" not in done.out
    assert len(done.out) < 1_000_000
    if format_ == "json":
        (source,) = done.json["arms"][0]["sources"]
        assert source["lines"] == len(lines) - 1


def test_a_log_that_stops_before_the_capacity_line_names_it(call: Call) -> None:
    log = VLLM / "stops-before-capacity" / "server.log"
    done = call("check", log)
    assert done.code == 3
    assert done.out.startswith("CANNOT TELL")
    assert "KV cache size: N tokens" in " ".join(done.out.split())
    assert "kv_cache.tokens" in done.err
    report = call("check", log, "--format", "json").json
    assert report["undecided"] == ["kv_cache.tokens"]
    assert "KV cache size" in json.dumps(report["reasons"])


def test_a_log_cut_in_the_middle_of_a_line(tmp_path: Path, call: Call) -> None:
    data = (VLLM / "flag-honoured" / "server.log").read_bytes()
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        (tmp_path / "server.log").write_bytes(data[: int(len(data) * share)])
        done = call("check", "server.log", cwd=tmp_path)
        assert done.code in (0, 2, 3)
        assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "damage", [b"\x00" * 300, b"\xff\xfe\xfd", b"\r" * 200, b"\x1b[31m", b"\xe2\x80\xae", b"[/]", b"{" * 5000, b"'" * 5000]
)
def test_bytes_between_the_lines(damage: bytes, tmp_path: Path, call: Call) -> None:
    data = (VLLM / "flag-honoured" / "server.log").read_bytes()
    (tmp_path / "server.log").write_bytes(data.replace(b"\n", b"\n" + damage + b"\n"))
    for format_ in ("text", "json"):
        done = call("check", "server.log", "--format", format_, cwd=tmp_path)
        assert done.code in (0, 3)
        assert not any(character in done.out for character in "\x1b\x00\u202e")


@pytest.mark.parametrize(("runner", "order"), [("TF_BUILD", "##vso[task.complete]x"), ("TEAMCITY_VERSION", "##teamcity[x]")])
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "{}"),
        ("check", "{}", "--format", "junit"),
        ("check", "{}=server.log", "--format", "markdown"),
        ("check", "server.log", "--policy", "{}"),
        ("check", "server.log", "--format", "{}"),
        ("{}",),
        ("capture", "--url", "{}", "--output", "run"),
    ],
)
def test_names_and_arguments_give_no_orders_to_a_runner(
    runner: str, order: str, arguments: tuple[str, ...], call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(runner, "True")
    done = call(*(one.format(order) for one in arguments), cwd=LOG.parent)
    assert done.code in (0, 1, 2)
    assert order.partition("[")[0] + "[" not in done.out + done.err
