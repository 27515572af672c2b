"""Shared by the tests of all engines: a log as text becomes a scanned source and its starts; what a start says."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from kvaudit.parsers.facts import Fact, Start
from kvaudit.parsers.interface import Parser
from kvaudit.redaction import Redactor
from kvaudit.sources.scan import Hints, scan
from kvaudit.sources.source import Source


def scanned(hints: Hints, text: str, path: str = "server.log") -> Source:
    """A source of a document given as text, scanned for these hints."""
    data = text.encode()
    found = scan(io.BytesIO(data), hints)
    return Source(
        path=path,
        size=len(data),
        lines=found.lines,
        sha256=hashlib.sha256(data).hexdigest(),
        head=found.head.decode(),
        hits=found.hits,
        sampled=found.sampled,
        redactor=Redactor(),
        data=data,
    )


def source_of(parser: Parser, text: str) -> Source:
    """A source scanned for the hints of one parser."""
    return scanned(Hints(parser.hints, parser.periodic_hints), text)


def starts_of(parser: Parser, *lines: str) -> list[Start]:
    """The starts of a log of these lines."""
    return parser.read(source_of(parser, "\n".join(lines) + "\n")).starts


def facts_of(start: Start, field: str) -> list[Fact]:
    """All facts of a field in a start."""
    return [fact for fact in start.facts if fact.field == field]


def values(start: Start, field: str, stage: str | None = None) -> list[Any]:
    """The values of a field in a start, of one stage or of all."""
    return [fact.value for fact in facts_of(start, field) if stage in (None, fact.stage)]


def codes(start: Start) -> list[str]:
    """The codes of the notices of a start."""
    return [notice["code"] for fact in facts_of(start, "engine.notices") for notice in fact.value]
