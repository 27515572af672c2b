"""`kvaudit capture --around`: a command between two moments, its output, its exit code, and what happened meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kvaudit.capture.passing import Tail
from tests.capture import fake_engines
from tests.capture.fake_engines import Fake, serving, vllm_metrics
from tests.conftest import Finished, Run


def around(run: Run, url: str, output: Path, script: str, *options: str) -> Finished:
    return run("capture", "--url", url, "--output", str(output), *options, "--around", "--", sys.executable, "-c", script)


def manifest_of(folder: Path) -> dict[str, Any]:
    document = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


def counting() -> Fake:
    """A server whose counters grow from one dump to the next: 4000 prompt tokens, 3000 of them from the cache, 40 requests."""
    fake = fake_engines.vllm()
    dumps = [vllm_metrics(queries=1000, hits=0), vllm_metrics(queries=5000, hits=3000)]

    class Routes(dict[str, tuple[int, bytes]]):
        def get(self, path: str, default: Any = None) -> Any:
            if path == "/metrics":
                return 200, dumps[min(sum(one == "/metrics" for one in fake.asked), 2) - 1]
            return super().get(path, default)

    fake.routes = Routes(fake.routes)
    return fake


def test_the_window_is_what_happened_between_the_dumps(run: Run, tmp_path: Path) -> None:
    with serving(counting()) as url:
        done = around(run, url, tmp_path / "run", "print('done')")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"
    window = manifest_of(tmp_path / "run")["around"]["window"]
    assert window["prefix_hit_rate"] == 0.75
    assert window["counters"]["requests"] == 40
    assert "prefix hit rate 75.0% over the window" in done.stderr
    record = json.loads(run("record", str(tmp_path / "run")).stdout)
    assert record["fields"]["runtime.prefix_hit_rate"]["value"] == 0.75


@pytest.mark.parametrize("code", [0, 1, 3, 42])
def test_the_exit_code_is_the_commands_own(run: Run, tmp_path: Path, code: int) -> None:
    with serving(fake_engines.vllm()) as url:
        done = around(run, url, tmp_path / "run", f"raise SystemExit({code})")
    assert done.returncode == code
    assert manifest_of(tmp_path / "run")["around"]["exit_code"] == code


def test_a_command_that_a_signal_ends_gives_128_and_the_signal(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.vllm()) as url:
        done = around(run, url, tmp_path / "run", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    assert done.returncode == 128 + signal.SIGTERM


def test_a_command_that_is_not_there_gives_127_and_says_so(run: Run, tmp_path: Path) -> None:
    with serving(fake_engines.vllm()) as url:
        arguments = ("capture", "--url", url, "--output", str(tmp_path / "run"), "--around", "--", "no-such-benchmark")
        done = run(*arguments)
    assert done.returncode == 127
    assert manifest_of(tmp_path / "run")["around"]["why"] == "no-such-benchmark: no such command"


def test_output_is_passed_on_and_kept_without_its_secrets(run: Run, tmp_path: Path) -> None:
    script = f"import sys; print('one'); sys.stderr.write('two {fake_engines.SECRET}')"
    with serving(fake_engines.vllm()) as url:
        done = around(run, url, tmp_path / "run", script)
    assert done.stdout == "one\n"
    assert f"two {fake_engines.SECRET}" in done.stderr, "what the command says to its user is not touched"
    assert (tmp_path / "run/command/stdout.txt").read_text(encoding="utf-8") == "one\n"
    assert fake_engines.SECRET not in (tmp_path / "run/command/stderr.txt").read_text(encoding="utf-8")


def test_files_that_the_command_writes_are_taken_along(run: Run, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    script = f"open({str(result)!r}, 'w').write('{{}}')"
    with serving(fake_engines.vllm()) as url:
        around(run, url, tmp_path / "run", script, *("--keep", str(result)) * 2, "--keep", str(tmp_path / "never.json"))
    for name in ("result.json", "1-result.json"):
        assert (tmp_path / "run/command" / name).read_bytes() == b"{}"
    assert str(tmp_path / "never.json") in {piece["what"] for piece in manifest_of(tmp_path / "run")["missing"]}


def test_a_server_that_is_not_there_runs_nothing(run: Run, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    done = around(run, "http://127.0.0.1:9", tmp_path / "run", f"open({str(mark)!r}, 'w')")
    assert done.returncode == 2
    assert not mark.exists()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("code", "expected"), [(0, 2), (7, 7)])
def test_a_server_that_dies_meanwhile_leaves_no_folder_and_keeps_a_failing_code(
    run: Run, tmp_path: Path, code: int, expected: int
) -> None:
    fake = fake_engines.vllm()
    fake.dying = 5  # models, version and metrics are the moment before; one more answers
    with serving(fake) as url:
        done = around(run, url, tmp_path / "run", f"raise SystemExit({code})")
    assert done.returncode == expected
    assert "went away" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_was_started_anew_meanwhile_is_named(run: Run, tmp_path: Path) -> None:
    """The process of `--pid` stands for the server's: it ends while the command runs."""
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as server, serving(fake_engines.vllm()) as url:
        script = f"import os, signal, time; os.kill({server.pid}, signal.SIGKILL); time.sleep(0.5)"
        done = around(run, url, tmp_path / "run", script, "--pid", str(server.pid))
    assert done.returncode == 0, done.stderr
    assert "the process of the server ended meanwhile" in done.stderr


@pytest.mark.parametrize("arguments", [("--around",), ("--", "true"), ("--around", "--")])
def test_around_and_a_command_belong_together(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run("capture", "--url", "http://127.0.0.1:9", "--output", str(tmp_path / "run"), *arguments)
    assert done.returncode == 2
    assert "--around" in done.stderr


def test_an_interrupt_reaches_the_command_once_and_the_capture_is_finished(command: str, tmp_path: Path) -> None:
    mark = tmp_path / "ready"
    script = (
        "import signal, sys, time\n"
        "told = []\n"
        "signal.signal(signal.SIGINT, lambda *_: told.append(1))\n"
        f"open({str(mark)!r}, 'w').close()\n"
        "deadline = time.monotonic() + 20\n"
        "while not told and time.monotonic() < deadline: time.sleep(0.05)\n"
        "time.sleep(0.3)\n"
        "print(len(told)); sys.exit(9)\n"
    )
    with serving(fake_engines.vllm()) as url:
        arguments = [command, "capture", "--url", url, "--output", str(tmp_path / "run"), "--around", "--"]
        process = subprocess.Popen([*arguments, sys.executable, "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        stdout, _ = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (9, b"1\n")
    assert manifest_of(tmp_path / "run")["around"]["exit_code"] == 9


def test_long_output_keeps_both_ends() -> None:
    tail = Tail(limit=20)
    for number in range(10):
        tail.add(b"%d23456789" % number)
    kept = tail.kept()
    assert kept.startswith(b"023456789")
    assert kept.endswith(b"923456789")
    assert b"bytes are left out here" in kept
    short = Tail(limit=20)
    short.add(b"all of it")
    assert short.kept() == b"all of it"
