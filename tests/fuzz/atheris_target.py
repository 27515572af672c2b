"""Coverage-guided fuzzing with atheris: the bytes that it invents, through every parser and format.

Opt-in; atheris is no dependency of the tests: pip install atheris
Usage: python -m tests.fuzz.atheris_target [CORPUS FOLDER] [options of libFuzzer, such as -max_total_time=600]

An empty corpus folder is filled with the project's own documents first. Anything but an error for users is a crash.
"""

from __future__ import annotations

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from kvaudit.audit.predicates.registry import all_predicates
from kvaudit.parsers.registry import all_parsers
from tests.fuzz.examining import examine, prepare
from tests.fuzz.seeds import Seed, seeds

_ABSENT = "atheris is not installed: pip install atheris (CPython 3.11 to 3.13 on Linux); nothing was fuzzed\n"
_NAMES = ("server.log", "config.json", "compose.yaml", "model.gguf")


def _fill(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for number, seed in enumerate(seeds()):
            (folder / f"{number:03d}-{seed.name}").write_bytes(input_of(seed))


def input_of(seed: Seed) -> bytes:
    """The input that `one_input` reads as this document: a byte for the name, then the document."""
    suffix = Path(seed.name).suffix
    name = next((number for number, name in enumerate(_NAMES) if Path(name).suffix == suffix), 0)
    return bytes([name]) + seed.data


def one_input(data: bytes, folder: Path) -> None:
    """One input: the first byte chooses the name, the rest is the file."""
    chance = Random(data)  # noqa: S311 - reproducible, no secret
    path = folder / _NAMES[data[0] % len(_NAMES) if data else 0]
    path.write_bytes(data[1:])
    found = examine(str(path), chance, formats=1).faults
    if found:
        raise AssertionError("; ".join(found))


def main() -> int:
    """Fuzz until libFuzzer has had enough."""
    try:
        atheris: Any = import_module("atheris")
    except ImportError:
        sys.stderr.write(_ABSENT)
        return 2
    corpus = [Path(one) for one in sys.argv[1:] if not one.startswith("-")]
    for folder in corpus:
        _fill(folder)
    all_parsers()
    all_predicates()
    prepare()
    atheris.instrument_all()  # what is loaded later would be fuzzed blindly
    with tempfile.TemporaryDirectory() as work:
        atheris.Setup(sys.argv, lambda data: one_input(data, Path(work)))
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
