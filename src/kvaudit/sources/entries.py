"""Log entries as JSON: which member of an entry is the line that was logged.

Room: `sources`. Docker's json-file driver, `journalctl -o json`, cloud log exports, shippers, notebooks. An engine's own JSON
lines (`levelname` and `message`) are no wrapper. A document whose members are not log entries yields nothing: a bundle that
quotes log lines is no log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kvaudit.patterns import LatePattern

_DEEPEST = 12
_MESSAGE_KEYS = (
    "textPayload",
    "message",
    "log",
    "MESSAGE",
    "line",
    "msg",
    "text",
    "@message",
    "LogMessage",
    "LogEntry",
    "content",
)
_SIGNATURES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # name, member that holds the line, members of which one must stand beside it
    ("docker-json", "log", ("stream", "time", "kubernetes", "@timestamp", "date", "container_id", "container_name", "source")),
    ("journald-json", "MESSAGE", ("__REALTIME_TIMESTAMP", "__CURSOR", "_PID", "_HOSTNAME", "SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT")),
    ("cloud-entry", "textPayload", ("timestamp", "insertId", "resource", "logName", "severity", "receiveTimestamp", "labels")),
    ("loki", "line", ("labels", "timestamp", "stream", "ts")),
    ("cloudwatch", "message", ("ingestionTime", "logStreamName")),
    ("cloudwatch", "@message", ("@timestamp", "@logStream", "@ptr")),
    ("azure", "LogMessage", ("TimeGenerated", "ContainerId", "PodName", "LogSource")),
    ("azure", "LogEntry", ("TimeGenerated", "ContainerID", "LogEntrySource")),
    ("shipper-json", "message", ("kubernetes", "container", "docker", "container_name", "source_type", "agent", "host")),
)
_STRING_LINE = LatePattern(r'^[\[{\s]*(?:"([^"\\]{1,80})"\s*:\s*)?"((?:[^"\\]|\\.)*)(?:"|\\?$)[\s,\]}]*$')
_STRING = LatePattern(r'"((?:[^"\\]|\\.)*)"?')
_STRUCTURE = LatePattern(r'^[\s{}\[\],]*$|^"[^"\\]{1,200}"\s*:|^-?\d[\d.eE+-]*$|^(?:true|false|null)$')
_KEYED = LatePattern(r'"(?P<key>textPayload|log|MESSAGE|message|line)"\s*:\s*"(?P<body>(?:[^"\\]|\\.)*)')

Entry = tuple[str, str]
"""Name of the wrapper, and the text that it holds."""


def entry_lines(text: str) -> list[Entry]:
    """The logged text of one physical line that is a JSON log entry, or several; empty where it is none."""
    bare = text.strip().rstrip(",")
    try:
        document = json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return _of_cut_entry(bare)
    return [(name, _whole(line)) for name, line in _lines_of(document, 0)]


def string_lines(text: str, name: str) -> list[Entry] | None:
    """The logged text of one line of a pretty-printed document that is known to hold log lines.

    Empty for other members and for brackets; None for a line that is no JSON at all.
    """
    bare = text.strip().rstrip(",")
    if len(bare) > 2 and bare[0] in "{[":
        try:
            return [(name, _whole(line)) for _, line in _lines_of(json.loads(bare, strict=False), 0, bare_strings=True)]
        except (ValueError, RecursionError):
            pass
    if match := _STRING_LINE.match(bare):
        key, body = match.group(1), match.group(2)
        return [(name, unescaped(body))] if key is None or key in _MESSAGE_KEYS else []
    if bare[:1] == "[" and bare[1:].lstrip()[:1] == '"':
        return [(name, unescaped(one.group(1))) for one in _STRING.finditer(bare)]
    return [] if _STRUCTURE.match(bare) else None


def unescaped(body: str) -> str:
    """The text of a JSON string body; a body that was cut inside an escape loses the rest of it."""
    for cut in range(7):
        try:
            return _whole(str(json.loads(f'"{body[: len(body) - cut]}"', strict=False)))
        except ValueError:
            continue
    return body


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs: an escape can name one, no encoding can write it."""
    return text.encode("utf-8", "replace").decode()


def _of_cut_entry(text: str) -> list[Entry]:
    """An entry that is no whole JSON, cut at its end or too long: the signature cannot be checked beyond its beginning."""
    match = _KEYED.search(text) if text.startswith(('{"log"', '{"textPayload"', '{"MESSAGE"', '{"__')) else None
    if match is None:
        return []
    name = {"log": "docker-json", "MESSAGE": "journald-json"}.get(match.group("key"), "cloud-entry")
    return [(name, unescaped(match.group("body")))]


def _lines_of(value: Any, depth: int, bare_strings: bool = False) -> Iterator[Entry]:
    if depth > _DEEPEST:
        return
    if isinstance(value, str) and bare_strings:
        yield "json-array", value
    elif isinstance(value, list):
        for item in value:
            yield from _lines_of(item, depth + 1, bare_strings)
    elif isinstance(value, dict):
        yield from _of_object(value, depth)


def _of_object(value: dict[str, Any], depth: int) -> Iterator[Entry]:
    for name, member, beside in _SIGNATURES:
        text = value.get(member)
        if isinstance(text, str) and any(key in value for key in beside) and "levelname" not in value:
            yield name, text
            return
    payload = value.get("jsonPayload")
    if isinstance(payload, dict):
        text = next((payload[key] for key in ("message", "log", "MESSAGE") if isinstance(payload.get(key), str)), None)
        if text is not None:
            yield "cloud-entry", text
    elif "cells" in value and "nbformat" in value:
        yield from _of_notebook(value)
    elif isinstance(value.get("events"), list):
        yield from _lines_of(value["events"], depth + 1)
    else:
        yield from _of_loki(value)


def _of_notebook(value: dict[str, Any]) -> Iterator[Entry]:
    """What the cells printed; their source is no log."""
    for cell in value["cells"] if isinstance(value["cells"], list) else []:
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else []:
            text = output.get("text") if isinstance(output, dict) else None
            if isinstance(text, str | list):
                joined = text if isinstance(text, str) else "".join(item for item in text if isinstance(item, str))
                yield "notebook-cells", joined


def _of_loki(value: dict[str, Any]) -> Iterator[Entry]:
    """Answer of Loki's query_range: data.result[].values[] are pairs of time and line."""
    data = value.get("data")
    result = data.get("result") if isinstance(data, dict) else None
    for stream in result if isinstance(result, list) else []:
        values = stream.get("values") if isinstance(stream, dict) else None
        for pair in values if isinstance(values, list) else []:
            if isinstance(pair, list) and len(pair) >= 2 and isinstance(pair[1], str):
                yield "loki", pair[1]
