"""A copy of a report or record in which every string is masked and escaped: what text renderers work on.

Room: `reports`. Renderers for people never see the original, so that no forgotten string can leak.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from kvaudit.audit.report import Report
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

ShapeT = TypeVar("ShapeT")


def redacted(shape: ShapeT, redactor: Redactor) -> ShapeT:
    """The same shape, with secrets masked by key name and by shape, and control and format characters escaped."""
    if is_dataclass(shape) and not isinstance(shape, type):
        masked: ShapeT = replace(shape, **_masked(shape, [one.name for one in fields(shape)], redactor))
        return masked
    model: Any = shape
    copy: ShapeT = model.model_copy(update=_masked(model, list(type(model).model_fields), redactor))
    return copy


def _masked(shape: Any, names: list[str], redactor: Redactor) -> dict[str, Any]:
    return {name: _walk(getattr(shape, name), redactor, name) for name in names}


def _is_shape(value: Any) -> bool:
    return is_dataclass(value) or hasattr(value, "model_fields_set")


def for_people(report: Report, redactor: Redactor) -> Report:
    """The report as renderers for people and tools show it: masked, and without the facts, which only JSON lists."""
    return redacted(replace(report, arms=[without_facts(record) for record in report.arms]), redactor)


def _walk(value: Any, redactor: Redactor, key: str) -> Any:
    if _is_shape(value):
        return redacted(value, redactor)
    if not _holds_models(value):
        return redactor.document(value, key)
    if isinstance(value, dict):
        return {redactor.document(str(name)): _walk(item, redactor, str(name)) for name, item in value.items()}
    return type(value)(_walk(item, redactor, key) for item in value)


def _holds_models(value: Any) -> bool:
    """Plain data goes to the redactor whole: in `['--api-key', 'x']` only the neighbour gives the secret away."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(_is_shape(item) or (isinstance(item, dict | list | tuple) and _holds_models(item)) for item in items)


def without_facts(record: Record, keep: str = "") -> Record:
    """The record with the facts of one field only, or of none: what a page does not show need not be masked."""
    held_fields = {name: held if name == keep else replace(held, facts=[]) for name, held in record.fields.items()}
    starts = [replace(start, facts=[]) for start in record.sessions.starts]
    sessions = replace(record.sessions, starts=starts)
    return replace(record, clues={}, fields=held_fields, sessions=sessions)
