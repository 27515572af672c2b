"""Excerpts cut to the room that a line has, so that the words that matter stay in sight.

Room: `reports`, plain strings only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from kvaudit.fields import SPELLINGS
from kvaudit.patterns import LatePattern

_NUMBER = LatePattern(r"\d[\d,]*(?:\.\d+)?")
# What loggers write before the message: process, level, date, time and [module.py:123].
_PREFIX = LatePattern(r"^.{0,100}?\[[\w./-]{1,60}:\d{1,6}\]\s?")


def clipped(text: str, room: int, at: int = 0, length: int = 0) -> str:
    """At most `room` characters of a text, around the `length` characters at position `at`."""
    if len(text) <= room:
        return text
    start = max(0, min(at - (room - length) // 2, len(text) - room))
    end = start + room
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    return head + text[start + len(head) : end - len(tail)] + tail


def message_of(text: str) -> str:
    """The excerpt without what the logger wrote before the message; an ellipsis stands for that."""
    prefix = _PREFIX.match(text)
    return "…" + text[prefix.end() :] if prefix else text


def excerpt_in(text: str, room: int, field: str, value: Any, how: str | None = None) -> str:
    """An excerpt of at most `room` characters: the logger's prefix goes first, then what is far from the value."""
    if len(text) <= room:
        return text
    message = message_of(text)
    if len(message) <= room:
        return message
    start = len(text) - len(message) + 1 if message != text else 0
    for pattern in _patterns(field, value, how):
        if match := re2.search(pattern, text[start:]):
            first, last = match.span()
            return clipped(text, room, start + first, last - first)
    return clipped(text, room, max(0, start + room // 2 - 1))


def _patterns(field: str, value: Any, how: str | None) -> Iterator[str]:
    """What to look for, the best first: the value as it may be printed, then the figures it was computed from."""
    leaf = re2.escape(field.rpartition(".")[2])
    for word in _spellings(field, value):
        exact = re2.escape(word)
        yield rf"""(?i)\w*{leaf}\w*["']?\s?[=:]\s?["']?{exact}(?:\b|$)"""
        yield rf"""(?i)(?:[\w.-]+["']?\s?[=:]\s?["']?){exact}(?:\b|$)"""
        yield rf"(?i)(?:\b|^){exact}(?:\b|$)"
        yield rf"(?i){exact}"
    for match in _NUMBER.finditer(how or ""):
        yield re2.escape(match.group())
    yield rf"\b{leaf}\b"


def _spellings(field: str, value: Any) -> list[str]:
    if isinstance(value, bool) or value is None:
        return [str(value)]
    if isinstance(value, int):
        return [f"{value:,}", str(value)]
    if isinstance(value, str | float):
        return [str(value), *(spelling for spelling, name in SPELLINGS.get(field, {}).items() if name == value)]
    return []
