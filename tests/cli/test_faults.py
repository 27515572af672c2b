"""What becomes of a call whose output cannot be written, and of the files that stood there before."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kvaudit.cli import writing
from kvaudit.cli.writing import replace_file

ROOT = Path(__file__).resolve().parent.parent.parent
LOG = str(ROOT / "fixtures/demo/good/a/server.log")
OLD = "an old good report\n"
OUTPUTS: dict[str, Callable[[Path], list[str]]] = {
    "record --output": lambda path: ["record", LOG, "--output", str(path)],
    "-o json": lambda path: ["check", LOG, "-o", f"json={path}"],
    "--write-baseline": lambda path: ["check", LOG, "--write-baseline", str(path)],
}
NO_CACHE = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
"""Where no file may grow, the interpreter would leave cut byte code behind."""
Finished = subprocess.CompletedProcess[str]


def smallest_files() -> None:
    """No file may grow beyond 100 bytes: what a full disk looks like to the one who writes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def run(
    command: str,
    arguments: list[str],
    before: Callable[[], None] | None = None,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Finished:
    return subprocess.run(
        [command, *arguments],
        cwd=ROOT,
        env=NO_CACHE,
        encoding="utf-8",
        preexec_fn=before,
        timeout=120,
        check=False,
        stdout=stdout,
        stderr=stderr,
    )


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def is_refused(done: Finished, *words: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_full_disk_leaves_the_old_file(name: str, command: str, tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text(OLD, encoding="utf-8")
    is_refused(run(command, OUTPUTS[name](target), smallest_files), "cannot write", str(target))
    assert target.read_text(encoding="utf-8") == OLD
    assert names(tmp_path) == ["report"]


def test_a_full_disk_leaves_no_file_where_there_was_none(command: str, tmp_path: Path) -> None:
    is_refused(run(command, OUTPUTS["record --output"](tmp_path / "new.json"), smallest_files), "cannot write")
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_unwritable_path_is_named(name: str, command: str, tmp_path: Path) -> None:
    is_refused(run(command, OUTPUTS[name](tmp_path / "missing" / "report")), "cannot write", "missing/report")
    is_refused(run(command, OUTPUTS[name](tmp_path)), "directory")


def test_a_written_file_keeps_its_permissions_and_a_link_stays(command: str, tmp_path: Path) -> None:
    target, link = tmp_path / "report.json", tmp_path / "link.json"
    target.write_text(OLD, encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run(command, OUTPUTS["record --output"](link)).returncode == 0
    assert link.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8"))["document"] == "record"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert names(tmp_path) == ["link.json", "report.json"]


@pytest.mark.parametrize(
    "arguments", [["record", LOG], ["check", LOG], ["check", LOG, "--format", "json"], ["record", "missing"]]
)
def test_a_full_standard_output_is_said(arguments: list[str], command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(command, arguments, stdout=full.fileno())
    is_refused(done, "cannot write the output")


def test_a_full_standard_error_changes_no_exit_code(command: str) -> None:
    wanted = run(command, ["check", LOG])
    with Path("/dev/full").open("wb") as full:
        done = run(command, ["check", LOG], stderr=full.fileno())
    assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout)


def test_a_reader_that_has_gone_is_no_finding(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    done = run(command, ["record", LOG], stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_report_may_go_to_a_device(command: str) -> None:
    assert run(command, OUTPUTS["record --output"](Path("/dev/null"))).returncode == 0
    done = run(command, OUTPUTS["record --output"](Path("/dev/stdout")))
    assert json.loads(done.stdout)["document"] == "record"
    is_refused(run(command, OUTPUTS["record --output"](Path("/dev/full"))), "cannot write /dev/full")


def test_an_interrupt_ends_with_130_and_leaves_the_old_file(command: str, tmp_path: Path) -> None:
    target = tmp_path / "report"
    target.write_text(OLD, encoding="utf-8")
    arguments = [command, "record", "-", "--output", str(target)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"one line\n" * 500_000)  # more than a pipe holds: all of it taken means that reading has begun
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in told
    assert target.read_text(encoding="utf-8") == OLD
    assert names(tmp_path) == ["report"]


def test_an_interrupt_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report"
    target.write_text(OLD, encoding="utf-8")

    def interrupted(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:3])
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_write_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(target), b"new")
    assert target.read_text(encoding="utf-8") == OLD
    assert names(tmp_path) == ["report"]


def test_a_single_file_that_is_mounted_is_written_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "report"
    target.write_text(OLD, encoding="utf-8")

    def busy(_: Path, __: Path) -> Path:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(Path, "replace", busy)
    replace_file(str(target), b"new")
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["report"]


@pytest.mark.parametrize("arguments", ["check", "record", "why run.args", "inspect", "explain hidden-fp8-kv", "rules list"])
def test_a_closed_stdout_is_named(arguments: str, command: str) -> None:
    name, _, more = arguments.partition(" ")
    words = [name, *([LOG] if name in ("check", "record", "why", "inspect") else []), *more.split()]
    script = f'"$0" {" ".join(words)} >&-'
    done = subprocess.run(["bash", "-c", script, command], capture_output=True, encoding="utf-8", check=False, timeout=120)  # noqa: S607
    is_refused(done)


def test_a_closed_stdin_is_named(command: str) -> None:
    script = '"$0" check - <&-'
    done = subprocess.run(["bash", "-c", script, command], capture_output=True, encoding="utf-8", check=False, timeout=120)  # noqa: S607
    is_refused(done, "standard input (-) is closed")
