"""A physical line becomes one log record: the message, and where it begins in the line.

Room: the first step of the llama.cpp parser. Three envelopes: plain text (patterns search for `component:` anywhere, so prefixes
of loggers, journals and containers need no care), the JSON lines of the 2024 server (and `--log-jsonl` since b11434), and
`INFO [ function] message | key=value`. JSON becomes `message | key=value`, so that one pattern reads both.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from kvaudit.patterns import LatePattern
from kvaudit.sources.escapes import without_half_pairs
from kvaudit.sources.lines import Line

_CLIENT_TEXT = (
    "unparsed ",
    "got exception: ",
    "log_server_r: request: ",
    "log_server_r: response: ",
    "example_format: ",
    "chat_template: ",
    "tokenizer.chat_template ",
    "next token: ",
    "prompt: ",
    "Parsed message: ",
    "truncating input prompt",
)
"""Messages that quote templates, requests or generated text: their content proves nothing about the engine."""

_CHILD = LatePattern(r"(?:^|\s)\[(?P<port>\d{4,5})\] (?:\d|\w+:|\w+_|slot |srv )")
_BODIES = ("msg", "log", "message", "MESSAGE", "textPayload")
_OWN_KEYS = frozenset({"msg", "type", "time", "level", "tid", "timestamp", "function", "line"})


@dataclass(frozen=True, slots=True)
class Record:
    """One log record. `line` is the readable physical line and `position` where the message begins in it."""

    number: int
    line: str
    message: str
    position: int = 0
    child: str = ""
    """The port of the server instance that a router spawned and whose line it passes on; empty for the process itself."""


def record(line: Line) -> Record | None:
    """The record of one physical line; None for text that clients sent or the model wrote."""
    text = line.text.rstrip("\r\n")
    found = _json_record(line.number, text) if text.startswith("{") else None
    child = _CHILD.search(text[:200])
    found = found or Record(line.number, text, text, child=child.group("port") if child else "")
    return None if any(words in found.message for words in _CLIENT_TEXT) else found


def _json_record(number: int, text: str) -> Record | None:
    """A JSON line of the engine's own or of a container runtime, or None."""
    try:
        document: Any = json.loads(without_half_pairs(text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    body = next((document[key] for key in _BODIES if isinstance(document.get(key), str)), None)
    if body is None:
        return None
    message = body.strip()
    pairs = [f"{key}={_plain(value)}" for key, value in document.items() if key not in _OWN_KEYS and key not in _BODIES]
    if pairs and "msg" in document:
        message = f"{message} | {' '.join(pairs)}"
    return Record(number, text, message, max(0, text.find(body[:20])))


def _plain(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
