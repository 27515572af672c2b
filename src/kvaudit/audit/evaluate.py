"""Three-valued evaluation of rule conditions.

Room: `audit`. `all`, `any`, `not`, and for pairs `both` and `either`, over named predicates. Unknown stays unknown unless the
other parts decide without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kvaudit.audit.context import ArmContext, Outcome, PairContext
from kvaudit.audit.predicates.registry import all_predicates, predicate_named
from kvaudit.audit.rules import Condition
from kvaudit.errors import RuleError

Context = ArmContext | PairContext


def evaluate(condition: Condition, context: Context) -> Outcome:
    """The outcome of a condition. Raises `RuleError` for a name that is no predicate of this scope."""
    (name, argument), *more = condition.items()
    if more:
        raise RuleError(f"a condition has one key, this one has {', '.join(condition)}")
    if name in _COMBINATORS:
        return _COMBINATORS[name](argument, context)
    known = predicate_named(name)
    if known is None:
        raise RuleError(f"no predicate is called {name!r}; there are {', '.join(sorted(all_predicates()))}")
    if (known.scope == "pair") != isinstance(context, PairContext):
        raise RuleError(f"{name} is a predicate of {known.scope} rules; in a pair rule put it under `both` or `either`")
    return known.evaluate(context, argument or {})


def _all(parts: list[Condition], context: Context) -> Outcome:
    return _combine((evaluate(part, context) for part in parts), stops_at=False)


def _any(parts: list[Condition], context: Context) -> Outcome:
    return _combine((evaluate(part, context) for part in parts), stops_at=True)


def _not(part: Condition, context: Context) -> Outcome:
    inner = evaluate(part, context)
    return Outcome(None if inner.truth is None else not inner.truth, inner.cited, inner.missing)


def _both(part: Condition, context: Context) -> Outcome:
    return _combine((evaluate(part, arm) for arm in _arms(context)), stops_at=False)


def _either(part: Condition, context: Context) -> Outcome:
    return _combine((evaluate(part, arm) for arm in _arms(context)), stops_at=True)


def _arms(context: Context) -> Iterable[ArmContext]:
    if isinstance(context, ArmContext):
        raise RuleError("`both` and `either` belong into pair rules")
    return context.arms


def _combine(outcomes: Iterable[Outcome], stops_at: bool) -> Outcome:
    """All (`stops_at` False) or any (`stops_at` True): a deciding part wins over unknown ones."""
    seen = list(outcomes)
    deciding = [one for one in seen if one.truth is stops_at]
    if deciding:
        return Outcome(stops_at, [cited for one in deciding for cited in one.cited])
    missing = [text for one in seen if one.truth is None for text in one.missing]
    truth = None if any(one.truth is None for one in seen) else not stops_at
    return Outcome(truth, [cited for one in seen for cited in one.cited], missing)


_COMBINATORS: dict[str, Callable[[Any, Context], Outcome]] = {
    "all": _all,
    "any": _any,
    "not": _not,
    "both": _both,
    "either": _either,
}
