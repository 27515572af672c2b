"""Shared by the tests of sources: bytes become sources as `collect` makes them, and records as the command makes them."""

from __future__ import annotations

from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.parsers.registry import all_hints
from kvaudit.record.build import Options, read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from kvaudit.sources.arm import Evidence, Found, collect
from kvaudit.sources.lines import hit_lines
from kvaudit.sources.source import Source


def evidence_of(*arguments: str | Path) -> Evidence:
    """What `collect` finds, scanned for the hints of all parsers."""
    return collect([str(argument) for argument in arguments], all_hints(), Redactor())


def found_in(argument: str | Path) -> dict[str, Found]:
    """The documents of one argument by what follows its name; errors are raised."""
    evidence = evidence_of(argument)
    if evidence.errors:
        raise evidence.errors[0]
    return {found.shown.removeprefix(str(argument)).lstrip("/#"): found for found in evidence.found}


def error_of(argument: str | Path) -> InputError:
    """The one error of an argument that cannot be read."""
    (error,) = evidence_of(argument).errors
    return error


def source_of(folder: Path, data: bytes, name: str = "server.log") -> Source:
    """The source of a file that holds `data`."""
    (folder / name).write_bytes(data)
    (found,) = found_in(folder / name).values()
    assert found.source is not None
    return found.source


def texts(source: Source) -> list[str]:
    """The readable hit lines."""
    return [line.text for line in hit_lines(source)]


def record_of(*arguments: str | Path) -> Record:
    """The record of an arm."""
    return read_arm([str(argument) for argument in arguments], Redactor(), Options(local_checkpoint=False))
