"""Which parser a source belongs to, and that the scan knows every parser's hints without loading it."""

from __future__ import annotations

from kvaudit.parsers.facts import CLUES
from kvaudit.parsers.registry import all_hints, all_parsers, document_parsers, log_parsers
from kvaudit.record.steps import SERVICE, SNAPSHOT


def test_the_scan_looks_for_the_hints_of_every_parser() -> None:
    hints = all_hints()
    missed = [hint for parser in all_parsers() for hint in parser.hints if hints.search(b"x " + hint, 0) < 0]
    assert missed == []
    assert hints.search(b"no line of any engine", 0) == -1


def test_documents_have_no_hints_that_repeat() -> None:
    assert not [parser.name for parser in document_parsers() if parser.periodic_hints]


def test_no_two_parsers_have_one_name() -> None:
    names = [parser.name for parser in all_parsers()]
    assert len(set(names)) == len(names)
    assert {parser.kind for parser in log_parsers()} == {"engine-log"}


def test_steps_wait_for_clues_that_exist() -> None:
    assert {name for name in (*SERVICE, *SNAPSHOT) if name.startswith("clue.")} <= set(CLUES)
