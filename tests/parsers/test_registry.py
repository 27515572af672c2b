"""Which parser a source belongs to, and that the scan knows every parser's hints without loading it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.parsers import registry
from kvaudit.parsers.facts import CLUES
from kvaudit.parsers.registry import all_hints, all_parsers, document_parsers, log_parsers, recognise
from kvaudit.record.steps import SERVICE, SNAPSHOT
from kvaudit.redaction import Redactor
from kvaudit.sources.arm import collect
from tests.conftest import ROOT


def test_the_scan_looks_for_the_hints_of_every_parser() -> None:
    hints = all_hints()
    missed = [hint for parser in all_parsers() for hint in parser.hints if hints.search(b"x " + hint, 0) < 0]
    assert missed == []
    assert hints.search(b"no line of any engine", 0) == -1


def test_the_compiled_hints_are_those_of_the_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert registry._compiled_hints() == registry.hints_of_parsers()
    monkeypatch.setattr(registry, "hints_digest", lambda: "of other files")
    assert registry._compiled_hints() is None


LOGS = sorted(
    path for path in (ROOT / "fixtures").rglob("*") if path.suffix in (".log", ".txt", ".json", ".xml") and path.is_file()
)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.relative_to(ROOT / "fixtures")))
def test_who_is_not_asked_would_not_have_been_the_one(path: Path) -> None:
    for found in collect([str(path)], all_hints(), Redactor()).found:
        if found.source is None:
            continue
        confidence, best = max(
            ((parser.recognises(found.source), parser.name) for parser in all_parsers()), key=lambda one: one[0]
        )
        chosen = recognise(found.source)
        assert (chosen.name if chosen else None) == (best if confidence >= 0.5 else None)


def test_documents_have_no_hints_that_repeat() -> None:
    assert not [parser.name for parser in document_parsers() if parser.periodic_hints]


def test_no_two_parsers_have_one_name() -> None:
    names = [parser.name for parser in all_parsers()]
    assert len(set(names)) == len(names)
    assert {parser.kind for parser in log_parsers()} == {"engine-log"}


def test_steps_wait_for_clues_that_exist() -> None:
    assert {name for name in (*SERVICE, *SNAPSHOT) if name.startswith("clue.")} <= set(CLUES)
