"""Runs the machine's own tools for evidence: nvidia-smi, systemctl, docker and their kin. Argument lists, never a shell.

Room: `capture`, the only module that starts programs for evidence. Every call has a time limit and keeps a bounded output; what
is missing or fails comes back as a reason.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

LARGEST_OUTPUT = 64 << 20
_SECONDS = 60.0
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
