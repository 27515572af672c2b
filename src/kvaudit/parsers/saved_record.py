"""A record that `kvaudit record` saved: its facts come back as they were written.

Room: `parsers`. Only the JSON document `record` of this program; anything else that is JSON belongs to another parser.
"""

from __future__ import annotations

import json
from typing import Any

from kvaudit.errors import InputError
from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import CLUES, Fact, Reading, Start
from kvaudit.shapes import checked
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.source import Source

READABLE_VERSIONS = (0, 1)
"""Version 0 had the same keys, without the promise of version 1."""

DEEPEST = 100
"""Configurations of 64 levels are read, and a record adds a few of its own."""


class SavedRecord:
    """Reads saved records."""

    name = "kvaudit:record"
    kind = "record"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A JSON object that says `"document": "record"` near its start."""
        head = source.head.lstrip()[:2000].replace(" ", "").replace("\n", "")
        return 1.0 if head.startswith("{") and '"document":"record"' in head else 0.0

    def read(self, source: Source) -> Reading:
        """The facts and clues of the saved arm. Raises `InputError` when the document is damaged or of another version."""
        try:
            document = json.loads(without_half_pairs(source.text() or ""))
        except (ValueError, RecursionError) as error:
            raise InputError(source.path, f"a damaged record: {error}") from error
        if not isinstance(document, dict) or document.get("version") not in READABLE_VERSIONS:
            raise InputError(source.path, "a record of another document version; write it again with `kvaudit record`")
        if nested_too_deeply(document):
            raise InputError(source.path, f"a damaged record: nested deeper than {DEEPEST} levels")
        from pydantic import ValidationError

        try:
            return _reading(document)
        except (ValidationError, TypeError, AttributeError, KeyError) as error:
            raise InputError(source.path, f"a damaged record: {str(error).splitlines()[0]}") from error


def nested_too_deeply(document: Any) -> bool:
    """Whether a document of this program nests deeper than anything that was ever read into one."""
    level = [document]
    for _ in range(DEEPEST):
        members = [one.values() if isinstance(one, dict) else one for one in level]
        level = [item for held in members for item in held if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _reading(document: dict[str, Any]) -> Reading:
    facts = [fact for name, held in document["fields"].items() if name in FIELDS for fact in _facts(name, held["facts"])]
    facts += [fact for name, held in document.get("clues", {}).items() if name in CLUES for fact in _facts(name, held)]
    sessions = document.get("sessions") or {}
    starts = checked(list[Start], sessions.get("list", []))
    engine = next((source.get("engine") for source in document.get("sources", []) if source.get("engine")), None)
    selected = sessions.get("selected")
    notes = [f"a saved record of start {selected} of {len(starts)}"] if len(starts) > 1 else []
    sources = [dict(source) for source in document.get("sources", []) if source.get("kind") != "record"]
    return Reading(kind="record", engine=engine, facts=facts, starts=starts, notes=notes, selected=selected, recorded=sources)


def _facts(name: str, written: list[dict[str, Any]]) -> list[Fact]:
    return checked(list[Fact], [{**fact, "field": name} for fact in written])
