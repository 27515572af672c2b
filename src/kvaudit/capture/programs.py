"""Runs the machine's own tools for evidence: nvidia-smi, systemctl, docker and their kin. Argument lists, never a shell.

Room: `capture`, the only module that starts programs for evidence. Every call has a time limit and keeps a bounded output; what
is missing or fails comes back as a reason.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

LARGEST_OUTPUT = 64 << 20
_SECONDS = 60.0
_LOG_SECONDS = 600.0
_END_SECONDS = 5.0
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Output:
    """What a program printed, both streams if they were joined; `why` says why there is nothing, empty where all is well."""

    data: bytes
    why: str = ""
    cut: bool = False


def found(program: str) -> bool:
    """Whether a program is on the path."""
    return shutil.which(program) is not None


def output_of(arguments: list[str], *, join: bool = False, seconds: float = _SECONDS) -> Output:
    """What a program prints. `join` takes standard error with it (a log); else it is only shown where the program fails."""
    program = shutil.which(arguments[0])
    if program is None:
        return Output(b"", f"{arguments[0]} is not installed")
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, arguments as a list
            [program, *arguments[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if join else subprocess.PIPE,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Output(b"", f"{arguments[0]} did not end within {seconds:g} s")
    except OSError as error:
        return Output(b"", f"{arguments[0]} could not be started: {error.strerror or error}")
    if done.returncode:
        said = (done.stderr or done.stdout or b"").decode("utf-8", "replace").strip()
        return Output(b"", f"{arguments[0]} ended with {done.returncode}: {said[-_SHOWN:]}".rstrip(": "))
    return Output(done.stdout[:LARGEST_OUTPUT], cut=len(done.stdout) > LARGEST_OUTPUT)


@dataclass(slots=True)
class Streaming:
    """A program whose output is read while it runs: a log may be larger than memory. `why` is known once it has ended."""

    stdout: BinaryIO | None
    why: str = ""


@contextmanager
def streaming(arguments: list[str], *, join: bool = False, seconds: float = _LOG_SECONDS) -> Iterator[Streaming]:
    """Start a program and read its output in the block; `join` takes standard error with it. It is ended after `seconds`."""
    program = shutil.which(arguments[0])
    if program is None:
        yield Streaming(None, f"{arguments[0]} is not installed")
        return
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(  # noqa: S603 - a fixed program, arguments as a list
                [program, *arguments[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if join else errors,
            )
        except OSError as error:
            yield Streaming(None, f"{arguments[0]} could not be started: {error.strerror or error}")
            return
        output = Streaming(cast(BinaryIO, process.stdout))
        late = threading.Event()
        timer = threading.Timer(seconds, _end_late, (process, late))
        timer.start()
        try:
            yield output
            code = _ended(process)
        finally:
            timer.cancel()
            process.kill()
            process.wait()
            if output.stdout is not None:
                output.stdout.close()
        if late.is_set():
            output.why = f"{arguments[0]} did not end within {seconds:g} s"
        elif code > 0:
            output.why = f"{arguments[0]} ended with {code}: {_said(errors)}".rstrip(": ")


def _end_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a program that has closed its output."""
    try:
        return process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return 0


def _said(errors: IO[bytes]) -> str:
    errors.seek(0)
    return errors.read(1 << 16).decode("utf-8", "replace").strip()[-_SHOWN:]
