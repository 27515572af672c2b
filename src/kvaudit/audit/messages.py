"""Fills the placeholders of rule texts with values: `{kv_cache.dtype}` of an arm, `{a.kv_cache.dtype}` of a pair.

`{arm}` is the arm's name, `{axes}` the unfolded differences of error impact of a pair, `{moves}` the defaults that moved between
its releases; `{required}` and `{found}` are what a policy requires and what is there; the names of `told` are sentences with
figures.

Room: `audit`. Placeholders are looked up, never evaluated; an unknown value is written as unknown.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import ArmContext, PairContext
from kvaudit.audit.predicates.pair import axes_of
from kvaudit.audit.told import told_of_arm, told_of_pair
from kvaudit.fields import FIELDS
from kvaudit.patterns import LatePattern
from kvaudit.record.model import Record

_PLACEHOLDER = LatePattern(r"\{([a-z_0-9.]+)\}")
_OPTIONAL = LatePattern(r"\[\[([^\[\]]*)\]\]")
_LONGEST = 160


def fill(text: str, context: ArmContext | PairContext) -> str:
    """The text with every placeholder replaced; one that names nothing stays as it is.

    A part in double brackets is dropped where one of its values is not known. Where one arm is audited alone, texts speak of
    the run instead of an arm.
    """
    if isinstance(context, ArmContext) and context.alone:
        text = text.replace("Arm {arm}", "The run").replace("arm {arm}", "the run")
    text = str(_OPTIONAL.sub(lambda match: _optional(match.group(1), context), text))
    return str(_PLACEHOLDER.sub(lambda match: _filled(match.group(1), context), " ".join(text.split())))


def _optional(part: str, context: ArmContext | PairContext) -> str:
    return part if all(_is_known(name, context) for name in _PLACEHOLDER.findall(part)) else ""


def _is_known(name: str, context: ArmContext | PairContext) -> bool:
    if isinstance(context, ArmContext):
        if (told := told_of_arm(name)) is not None:
            return bool(told(context))
        return name not in FIELDS or context.record.state(name) == "known"
    if (sentence := told_of_pair(name)) is not None:
        return bool(sentence(context))
    return all(arm.record.state(name[2:]) == "known" for arm in context.arms if name.startswith(f"{arm.name}."))


def _filled(name: str, context: ArmContext | PairContext) -> str:
    if isinstance(context, ArmContext):
        if name == "arm":
            return context.name
        if (told := told_of_arm(name)) is not None:
            return told(context)
        if context.requirement and name in ("required", "found"):
            return context.requirement.text if name == "required" else written(context.record, context.requirement.field)
        return written(context.record, name) if name in FIELDS else f"{{{name}}}"
    if name == "axes":
        return ", ".join(field for fields in axes_of(context).values() for field in fields) or "none"
    if (sentence := told_of_pair(name)) is not None:
        return sentence(context)
    for arm in context.arms:
        if name.startswith(f"{arm.name}.") and name[2:] in FIELDS:
            return written(arm.record, name[2:])
    return f"{{{name}}}"


def written(record: Record, name: str) -> str:
    """A field's value as people read it, with its state where it is not known."""
    state = record.state(name)
    if state != "known":
        return "not set" if state == "absent" else state
    return shown(record.value(name), FIELDS[name].unit)


def shown(value: Any, unit: str | None = None) -> str:
    """A value as people read it: thousands separated, fractions as per cent, lists joined, long values cut."""
    if unit == "fraction" and isinstance(value, int | float):
        return f"{value:.1%}"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, float):
        text = f"{value:,.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    elif isinstance(value, list):
        text = ", ".join(shown(one) for one in value) or "none"
    elif isinstance(value, dict):
        text = ", ".join(f"{key}={one}" for key, one in value.items())
    else:
        text = str(value)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f"{text} {unit}" if unit and unit not in ("tokens", "fraction") and isinstance(value, int | float) else text
