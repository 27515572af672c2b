"""A hostile file through the whole program, as `record`, `check`, `diff`, `why` and `inspect` run it, every format written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.report import Report
from kvaudit.audit.results import results
from kvaudit.audit.results_gate import GateWishes
from kvaudit.audit.rules import bundled_rules
from kvaudit.errors import InputError, InputErrors, UsageError
from kvaudit.record.build import Options, read_arm
from kvaudit.record.inspection.inspect import inspect
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from kvaudit.reports.document import document, to_json
from kvaudit.reports.errors import render_errors
from kvaudit.reports.inspect import inspection_page
from kvaudit.reports.interface import RENDERERS
from kvaudit.reports.why import why_page
from kvaudit.results.evidence import results_of
from tests.conftest import ROOT
from tests.fuzz.mutations import SECRET
from tests.fuzz.outputs import faults

WIDTHS = (None, 24, 33, 80, 140, 400)
_OPTIONS = Options(local_checkpoint=False)


@contextmanager
def runner(there: bool) -> Iterator[None]:
    """With or without a GitHub Actions runner that reads along."""
    before = os.environ.pop("GITHUB_ACTIONS", None)
    if there:
        os.environ["GITHUB_ACTIONS"] = "true"
    try:
        yield
    finally:
        os.environ.pop("GITHUB_ACTIONS", None)
        if before is not None:
            os.environ["GITHUB_ACTIONS"] = before


@cache
def _other_arm() -> Record:
    """A sound arm that mutants are compared with."""
    return read_arm([str(ROOT / "fixtures" / "demo" / "bad" / "a")], Redactor(), _OPTIONS)


@dataclass(frozen=True, slots=True)
class Examined:
    """What became of an input: read or refused, and everything that is wrong with what was written about it."""

    refused: bool
    faults: tuple[str, ...]


def prepare() -> None:
    """Load what every examination needs, so that none is charged for it."""
    _other_arm()
    bundled_rules()
    examine(str(ROOT / "fixtures" / "demo" / "bad" / "b"), Random(0))  # noqa: S311


def examine(path: str, chance: Random, formats: int | None = None) -> Examined:
    """What the program makes of a file: any exception but those for users is raised.

    `formats` says how many of the formats are written, chosen by chance; without any, the audit is the end.
    """
    redactor = Redactor(chance.choice(("default", "default", "full")))
    with runner(there=True):
        try:
            record = read_arm([path], redactor, _OPTIONS)
        except InputErrors as error:
            return Examined(True, tuple(_of_errors(error.errors, redactor)))
        report = _report(record, chance)
        if formats == 0:
            return Examined(False, ())
        found = faults("record", to_json(document(record, redactor)), (SECRET,))
        found += _of_report(report, redactor, chance, formats)
        found += _of_why(record, redactor, chance)
        return Examined(False, (*found, *_of_inspection(path, redactor, chance)))


def _of_why(record: Record, redactor: Redactor, chance: Random) -> list[str]:
    width = chance.choice(WIDTHS)
    name = chance.choice(list(record.fields) or ["kv_cache.dtype"])
    return faults("why", why_page(record, name, redactor, width), (SECRET,), width)


def _report(record: Record, chance: Random) -> Report:
    if results_of(record).runs and chance.random() < 0.7:
        runs = [record] if chance.random() < 0.5 else [record, deepcopy(record)]
        return results(runs, bundled_rules(), Wishes(), GateWishes())
    if chance.random() < 0.5:
        return check(record, bundled_rules(), Wishes())
    arms = (record, _other_arm()) if chance.random() < 0.5 else (_other_arm(), record)
    return diff(*arms, bundled_rules(), Wishes())


def _of_report(report: Report, redactor: Redactor, chance: Random, formats: int | None) -> list[str]:
    found: list[str] = []
    names = list(RENDERERS) if formats is None else chance.sample(list(RENDERERS), formats)
    for name in names:
        width = chance.choice(WIDTHS) if name == "text" else None
        found += faults(name, RENDERERS[name](report, redactor, width), (SECRET,), width)
    return found


def _of_inspection(path: str, redactor: Redactor, chance: Random) -> list[str]:
    if Path(path).suffix not in (".json", ".gguf", ".safetensors"):
        return []
    try:
        found = inspect([path], redactor)
    except (InputError, InputErrors, UsageError):
        return []
    width = chance.choice(WIDTHS)
    page = inspection_page(found, redactor, width, colour=False, listed=False)
    return faults("inspect", page, (SECRET,)) + faults("json", to_json(document(found, redactor)), (SECRET,))


def _of_errors(errors: list[InputError], redactor: Redactor) -> list[str]:
    return [fault for name in RENDERERS for fault in faults(name, render_errors(errors, redactor, name), (SECRET,))]
