"""The arms: what each one is, which start of its log was read, and what became of later starts.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.context import ARM_NAMES
from kvaudit.audit.report import Report
from kvaudit.parsers.facts import Start
from kvaudit.record.model import Record
from kvaudit.reports.text.layout import GAP, PROSE, hang, line, row
from kvaudit.reports.values import shorten, value_of

if TYPE_CHECKING:
    from rich.text import Text

_NAMES = 10
_NARROW = 64
_WIDEST = 140


def arms(report: Report, width: int) -> list[Text]:
    """The arms in columns, or one after the other where the page is too narrow for that."""
    single = len(report.arms) == 1
    if width >= _NARROW and not single:
        column = (min(width, _WIDEST) - _NAMES - 2 * GAP) // 2
        rows = [_described(record, column) for record in report.arms]
        out = row([(line(""), _NAMES), *((line((name, "bold")), column) for name in ARM_NAMES[: len(rows)])])
        for index, (label, _) in enumerate(rows[0]):
            if any(described[index][1] for described in rows):
                out += row([(line((label, "dim")), _NAMES), *((line(described[index][1]), column) for described in rows)])
        return out
    out = []
    for name, record in zip(ARM_NAMES, report.arms, strict=False):
        out += [] if single else [line((f"arm {name}", "bold"))]
        for label, text in _described(record, max(8, min(width, PROSE) - _NAMES - GAP)):
            out += hang((f"{label:<{_NAMES + GAP}}", "dim"), line(text), min(width, PROSE)) if text else []
    return out


def _described(record: Record, room: int) -> list[tuple[str, str]]:
    """The rows about one arm; a row without text is left out."""
    return [
        ("evidence", _evidence(record, room)),
        ("engine", _engine(record)),
        ("model", _model(record, room)),
        ("KV cache", _kv_cache(record)),
        ("KV memory", _kv_memory(record)),
        ("start", selected_start(record)),
        ("afterwards", later_failure(record)),
    ]


def _evidence(record: Record, room: int) -> str:
    used = [source.path for source in record.sources if source.kind != "ignored"]
    first = shorten(record.label or (used[0] if used else "(none)"), room)
    others = [path.rsplit("/", 1)[-1] for path in used if path != record.label]
    return f"{first} ({_listed(others)})" if others else first


def _listed(names: list[str]) -> str:
    shown = list(dict.fromkeys(names))
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


def _engine(record: Record) -> str:
    name = record.value("engine.name")
    if name is None:
        return "unknown" if record.has_kind("engine-log") else ""
    return f"{name} {record.value('engine.version') or '(version unknown)'}"


def _model(record: Record, room: int) -> str:
    path, revision = record.value("model.path"), record.value("model.revision")
    if path is None:
        return str(record.value("model.architecture") or ("unknown" if record.value("engine.name") else ""))
    return shorten(str(path), room) + (f" @ {str(revision)[:12]}" if revision else "")


def _kv_cache(record: Record) -> str:
    if record.value("engine.name") is None:
        scheme = record.value("kv_cache.scheme")
        return f"checkpoint states {scheme}" if scheme else ""
    dtype = record.value("kv_cache.dtype") or f"element type {record.state('kv_cache.dtype')}"
    tokens = record.value("kv_cache.tokens")
    return f"{dtype}, {value_of('kv_cache.tokens', tokens)}" if tokens is not None else str(dtype)


def _kv_memory(record: Record) -> str:
    memory = record.value("kv_cache.memory_gib")
    return f"{value_of('kv_cache.memory_gib', memory)} per rank" if memory is not None else ""


def selected_start(record: Record) -> str:
    """`start 2 of 3, ready`: which start of the log the values are of."""
    sessions = record.sessions
    if not sessions.count or sessions.selected is None:
        return ""
    ready = {True: "ready", False: "never ready", None: "readiness unknown"}[sessions.ready]
    return f"{sessions.selected} of {sessions.count}, {ready}{_lines(record)}"


def _lines(record: Record) -> str:
    sessions = record.sessions
    if sessions.count < 2 or sessions.selected is None or sessions.selected > len(sessions.starts):
        return ""
    chosen = sessions.starts[sessions.selected - 1]
    return f", lines {chosen.first_line} to {chosen.last_line}"


def later_failure(record: Record) -> str:
    """The first start after the selected one that failed, with its cause."""
    selected = record.sessions.selected or 0
    for number, start in enumerate(record.sessions.starts[selected:], start=selected + 1):
        if _failed(start):
            return f"start {number} (line {start.first_line}) failed: {start.cause or start.outcome}"
    return ""


def _failed(start: Start) -> bool:
    return start.ready is False or start.outcome == "failed"
