"""Predicates about two arms.

Room: `audit`. Two unknown values never agree and never differ; a difference that the call varies on purpose, or that follows
from one, is no difference to a rule.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import ArmContext, Outcome, PairContext
from kvaudit.audit.meanings import other_meaning
from kvaudit.audit.predicates.arm import undeclared
from kvaudit.audit.predicates.registry import FIELD_NAME, NUMBER, missing, predicate
from kvaudit.audit.predicates.tenants import tenants_differ
from kvaudit.audit.report import Difference
from kvaudit.audit.tolerance import beyond_tolerance, relative_gap
from kvaudit.fields import FIELDS
from kvaudit.record.engine_defaults import Move, moves_between, release_of, shows_defaults

_ROUNDING = 1e-9
_NAMES: dict[str, Any] = {"type": "array", "items": FIELD_NAME, "minItems": 1}


def _open(pair: PairContext, names: list[str]) -> list[str]:
    """What would make the fields comparable: nothing can where the two engines mean different things by one."""
    texts = []
    for name in names:
        if meaning := other_meaning(pair.a.record, pair.b.record, name):
            texts.append(f"{name} cannot be compared: {meaning}")
        else:
            texts += [missing(arm, name) for arm in pair.arms if arm.record.state(name) in ("unknown", "conflict")]
    return texts


def counts(difference: Difference) -> bool:
    """Whether rules may fire on a difference: real, of one meaning, not under test, beyond tolerance."""
    real = difference.class_ in ("confound", "derived", "context") and difference.proof != "equal" and not difference.silenced
    return real and difference.meaning is None and beyond_tolerance(difference)


@predicate("pair", {"fields": _NAMES, "enough": {"enum": ["all", "one"]}}, optional=("enough",))
def differs(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """At least one of the fields is known to differ, beyond its tolerance and not under test.

    Without one, all fields must be known on both arms to say no, or with `enough: one` at least one of them.
    """
    names = list(arguments["fields"])
    found = [name for name in names if name in pair.differences and counts(pair.differences[name])]
    if found:
        return Outcome(True, pair.cite(*found))
    undecided = [name for name in names if _undecided(pair, name)]
    if undecided and (arguments.get("enough") != "one" or len(undecided) == len(names)):
        return Outcome(None, missing=_open(pair, undecided))
    return Outcome(False, pair.cite(*(name for name in names if name not in undecided)))


@predicate("pair", {"fields": _NAMES})
def same(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """All of the fields are known and equal on both arms, whatever is under test; another folder does not count."""
    names = list(arguments["fields"])
    found = [pair.differences[name] for name in names if name in pair.differences]
    if any(one.class_ not in ("cosmetic", "unknown") and one.meaning is None for one in found):
        return Outcome(False, pair.cite(*names))
    open_ = _open(pair, names)
    return Outcome(None, missing=open_) if open_ else Outcome(True, pair.cite(*names))


def _by_server(pair: PairContext, name: str) -> list[str]:
    """Figures that differ between the servers of an arm are no one number to compare."""
    several = [arm.name for arm in pair.arms if isinstance(arm.record.value(name), dict)]
    return [f"arm {arm}: {name} differs between its servers; compare the totals" for arm in several]


def _undecided(pair: PairContext, name: str) -> bool:
    difference = pair.differences.get(name)
    if difference is not None and (difference.proof is not None or difference.class_ == "expected" or difference.silenced):
        return False
    return bool(_open(pair, [name]))


@predicate("pair", {"field": FIELD_NAME, "value": NUMBER})
def relative_gap_from(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """1 − min ÷ max of the two values is this or more, and the difference is not under test."""
    name = arguments["field"]
    open_ = _open(pair, [name]) or _by_server(pair, name)
    if open_:
        return Outcome(None, missing=open_)
    difference = pair.differences.get(name)
    if difference is None or difference.class_ == "expected" or difference.silenced:
        return Outcome(False, pair.cite(name))
    return Outcome(relative_gap(*difference.values) >= arguments["value"] - _ROUNDING, pair.cite(name))


@predicate("pair", {"field": FIELD_NAME, "value": NUMBER})
def points_from(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The two values are this far apart or more, in the field's own unit, and the difference is not under test."""
    name = arguments["field"]
    open_ = _open(pair, [name]) or _by_server(pair, name)
    if open_:
        return Outcome(None, missing=open_)
    difference = pair.differences.get(name)
    if difference is None or difference.class_ == "expected" or difference.silenced:
        return Outcome(False, pair.cite(name))
    left, right = difference.values
    return Outcome(abs(float(left) - float(right)) >= arguments["value"] - _ROUNDING, pair.cite(name))


@predicate("pair", {"count": NUMBER})
def axes_over(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """More than this many settings of error impact differ that follow from nothing else."""
    axes = axes_of(pair)
    if not axes and _nothing_shared(pair):
        return Outcome(None, missing=["a setting that both arms name (a log with its engine line or arguments)"])
    return Outcome(len(axes) > arguments["count"], pair.cite(*(names[0] for names in axes.values())))


def _nothing_shared(pair: PairContext) -> bool:
    """Whether no setting of error impact is known on both arms."""
    return not any(row.impact == "error" and _decided(pair, name) for name, row in FIELDS.items())


def _decided(pair: PairContext, name: str) -> bool:
    return all(arm.record.state(name) == "known" for arm in pair.arms)


def axes_of(pair: PairContext) -> dict[str, list[str]]:
    """The unfolded differences of error impact, by rule: several fields of one rule are one axis."""
    axes: dict[str, list[str]] = {}
    for difference in pair.differences.values():
        if difference.field == "gpu.tenants" and not tenants_differ(pair, {"classes": ["foreign"]}).truth:
            continue  # process ids differ in every run
        row = FIELDS[difference.field]
        if row.rule and row.impact == "error" and difference.class_ == "confound" and counts(difference):
            axes.setdefault(row.rule, []).append(difference.field)
    return axes


@predicate("pair", {})
def weights_and_settings_differ(pair: PairContext, _arguments: dict[str, Any]) -> Outcome:
    """The model or its weights differ, and so does a launch setting that does not follow from them."""
    axes = axes_of(pair)
    if not axes and _nothing_shared(pair):
        return Outcome(None, missing=["the model or a setting that both arms name"])
    weights = [name for names in axes.values() for name in names if FIELDS[name].group == "weights"]
    settings = [name for names in axes.values() for name in names if FIELDS[name].group != "weights"]
    return Outcome(bool(weights and settings), pair.cite(*weights[:1], *settings[:1]))


@predicate("pair", {"fields": _NAMES})
def differs_undeclared(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """One of the fields differs, nothing but the engine's version explains it, and nobody typed it on either arm."""
    names = [name for name in arguments["fields"] if _unexplained(pair, name)]
    asked = {name: [_untyped(arm, name) for arm in pair.arms] for name in names}
    found = [name for name in names if all(one.truth is True for one in asked[name])]
    if found:
        return Outcome(True, pair.cite(*found))
    missing_ = [text for outcomes in asked.values() for one in outcomes if one.truth is None for text in one.missing]
    return Outcome(None, missing=missing_) if missing_ else Outcome(False)


def _untyped(arm: ArmContext, name: str) -> Outcome:
    """Whether nobody typed it; arguments that an engine prints with all defaults in them do not tell."""
    outcome = undeclared(arm, {"field": name})
    prints_all = shows_defaults(arm.record.value("engine.name")) and not arm.record.has_kind("launch-command")
    if outcome.truth and prints_all:
        return Outcome(None, missing=[f"arm {arm.name}: the launch command (the arguments in the log hold all defaults too)"])
    return outcome


def moved(pair: PairContext) -> list[Move]:
    """The defaults that moved between the two releases and whose field differs without another cause, one of each field."""
    found: dict[str, Move] = {}
    for move, a_is_older in moves_between(pair.a.record, pair.b.record):
        if move.field in found or not _unexplained(pair, move.field):
            continue
        values = pair.differences[move.field].values
        older, newer = values if a_is_older else (values[1], values[0])
        if move.explains(older, newer):
            found[move.field] = move
    return list(found.values())


@predicate("pair", {})
def default_moved(pair: PairContext, _arguments: dict[str, Any]) -> Outcome:
    """A setting differs just as the engine's default does between the two releases, and nobody is known to have typed it."""
    open_ = [missing(arm, "engine.version") for arm in pair.arms if release_of(arm.record) is None]
    if open_:
        return Outcome(None, missing=open_)
    asked = {move.field: [undeclared(arm, {"field": move.field}) for arm in pair.arms] for move in moved(pair)}
    found = [name for name, outcomes in asked.items() if all(one.truth is True for one in outcomes)]
    if found:
        return Outcome(True, pair.cite(*found))
    missing_ = [text for outcomes in asked.values() for one in outcomes if one.truth is None for text in one.missing]
    return Outcome(None, missing=missing_) if missing_ else Outcome(False)


def _unexplained(pair: PairContext, name: str) -> bool:
    difference = pair.differences.get(name)
    return difference is not None and counts(difference) and difference.explained_by in (None, "engine.version")


@predicate("pair", {"field": FIELD_NAME})
def meaning_differs(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The printed figure means something else in the two engines or versions, for this model."""
    from kvaudit.audit.capacity import same_meaning

    same = same_meaning(pair.a.record, pair.b.record)
    if same is None:
        return Outcome(None, missing=_open(pair, [arguments["field"], "kv_cache.max_concurrency", "engine.version"]))
    return Outcome(not same, pair.cite(arguments["field"], "kv_cache.max_concurrency", "engine.version"))


@predicate("pair", {"field": FIELD_NAME})
def no_other_meaning(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """Nothing shows that the printed figure means something else in the two engines or versions."""
    return Outcome(meaning_differs(pair, arguments).truth is not True)


@predicate("pair", {"field": FIELD_NAME})
def kinds_differ(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The distinct items of a list field differ beyond its tolerance; another number of equal items does not count."""
    name = arguments["field"]
    open_ = _open(pair, [name])
    if open_:
        return Outcome(None, missing=open_)
    left, right = (value if isinstance(value := arm.record.value(name), list) else [value] for arm in pair.arms)
    limit = FIELDS[name].tolerance
    alone = [one for one in left if not _has_partner(one, right, limit)] + [
        one for one in right if not _has_partner(one, left, limit)
    ]
    return Outcome(bool(alone), pair.cite(name))


def _has_partner(item: Any, others: list[Any], limit: float) -> bool:
    return any(relative_gap(item, other) <= limit for other in others)


@predicate("pair", {"field": FIELD_NAME})
def only_one_arm(pair: PairContext, arguments: dict[str, Any]) -> Outcome:
    """The field is set on one arm and proven not set on the other."""
    name = arguments["field"]
    difference = pair.differences.get(name)
    if difference is not None and (difference.class_ == "expected" or difference.silenced):
        return Outcome(False, pair.cite(name))
    open_ = _open(pair, [name])
    if open_:
        return Outcome(None, missing=open_)
    set_ = [arm.record.state(name) == "known" and str(arm.record.value(name)).lower() != "none" for arm in pair.arms]
    return Outcome(set_[0] != set_[1], pair.cite(name))
