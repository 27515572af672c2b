"""Shapes: dataclasses that documents are made of, how they become plain data, and how foreign data becomes a shape.

Room: far left of the pipeline; it knows no shape by name. Shapes are dataclasses of the standard library, because every run makes
them; pydantic checks what comes from outside (saved records, rule files), and is loaded only then.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

HIDDEN: dict[str, Any] = {"hidden": True}
"""As `metadata` of a field: it stands in no document."""

CLOSED: dict[str, Any] = {"extra": "forbid"}
"""As `__pydantic_config__` of a shape: a key that it does not have is a mistake."""


def written_as(key: str) -> dict[str, Any]:
    """As `metadata` of a field: documents hold it under another key."""
    return {"key": key}


@cache
def keys(kind: Any) -> tuple[tuple[str, str], ...]:
    """Attribute and document key of every field that is written, in order."""
    return tuple((one.name, one.metadata.get("key", one.name)) for one in fields(kind) if "hidden" not in one.metadata)


def plain(value: Any) -> Any:
    """A shape, a model of pydantic, or what holds them as dicts, lists and scalars that JSON knows."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if is_dataclass(value):
        kind: Any = type(value)
        return {key: plain(getattr(value, name)) for name, key in keys(kind)}
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, mode="json")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def checked(kind: type[T], value: Any) -> T:
    """Foreign data as a shape. Raises pydantic's `ValidationError`."""
    adapter: Any = _adapter(kind)  # type: ignore[arg-type]
    made: T = adapter.validate_python(value)
    return made


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
