"""A copy of a report or record in which every string is masked and escaped: what text renderers work on.

Room: `reports`. Renderers for people never see the original, so that no forgotten string can leak.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from kvaudit.audit.report import Report
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

ModelT = TypeVar("ModelT", bound=BaseModel)


def redacted(model: ModelT, redactor: Redactor) -> ModelT:
    """The same model, with secrets masked by key name and by shape, and control and format characters escaped."""
    changed = {name: _walk(getattr(model, name), redactor, name) for name in type(model).model_fields}
    return model.model_copy(update=changed)


def for_people(report: Report, redactor: Redactor) -> Report:
    """The report as renderers for people and tools show it: masked, and without the facts, which only JSON lists."""
    return redacted(report.model_copy(update={"arms": [without_facts(record) for record in report.arms]}), redactor)


def _walk(value: Any, redactor: Redactor, key: str) -> Any:
    if isinstance(value, BaseModel):
        return redacted(value, redactor)
    if not _holds_models(value):
        return redactor.document(value, key)
    if isinstance(value, dict):
        return {redactor.document(str(name)): _walk(item, redactor, str(name)) for name, item in value.items()}
    return type(value)(_walk(item, redactor, key) for item in value)


def _holds_models(value: Any) -> bool:
    """Plain data goes to the redactor whole: in `['--api-key', 'x']` only the neighbour gives the secret away."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(
        isinstance(item, BaseModel | dict | list | tuple) and (isinstance(item, BaseModel) or _holds_models(item))
        for item in items
    )


def without_facts(record: Record, keep: str = "") -> Record:
    """The record with the facts of one field only, or of none: what a page does not show need not be masked."""
    fields = {name: held if name == keep else held.model_copy(update={"facts": []}) for name, held in record.fields.items()}
    starts = [start.model_copy(update={"facts": []}) for start in record.sessions.starts]
    sessions = record.sessions.model_copy(update={"starts": starts})
    return record.model_copy(update={"clues": {}, "fields": fields, "sessions": sessions})
