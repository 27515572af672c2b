"""Predicates about one arm.

Room: `audit`. Short functions only; each returns true, false, or unknown with what is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.audit.context import ArmContext, Cited, Outcome
from kvaudit.audit.predicates.registry import FIELD_NAME, NUMBER, STAGE, TEXT, missing, predicate
from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Fact, Start
from kvaudit.record.kv_dtype.ladder import bits, compatible
from kvaudit.record.resolve import same_value

_VALUE: dict[str, Any] = {"type": ["string", "number", "boolean"]}


def _known(arm: ArmContext, name: str, stage: str | None = None) -> tuple[bool, Any]:
    """Whether a field is known (at a stage, if one is given), and its value."""
    if stage is None:
        return arm.record.state(name) == "known", arm.record.value(name)
    values = [fact.value for fact in arm.record.facts(name) if fact.stage == stage and not FIELDS[name].delegates(fact.value)]
    return bool(values), values[0] if values else None


def _any_server(name: str, value: Any, holds: Callable[[Any], bool]) -> bool:
    """Whether it holds of the value; of an arm with several servers whose values differ, of one of them."""
    several = isinstance(value, dict) and FIELDS[name].type != "object"
    return any(holds(one) for one in (value.values() if several else [value]))


def _judge(arm: ArmContext, name: str, known: bool, truth: bool) -> Outcome:
    if not known:
        absent = arm.record.state(name) == "absent"
        return Outcome(False, arm.cite(name)) if absent else Outcome(None, missing=[missing(arm, name)])
    return Outcome(truth, arm.cite(name))


@predicate("arm", {"field": FIELD_NAME, "value": _VALUE, "stage": STAGE}, optional=("stage",))
def equals(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's value is this one."""
    name = arguments["field"]
    known, value = _known(arm, name, arguments.get("stage"))
    return _judge(
        arm, name, known, known and _any_server(name, value, lambda one: same_value(FIELDS[name], one, arguments["value"]))
    )


@predicate("arm", {"field": FIELD_NAME, "values": {"type": "array", "items": _VALUE}, "stage": STAGE}, optional=("stage",))
def one_of(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's value is one of these."""
    name = arguments["field"]
    known, value = _known(arm, name, arguments.get("stage"))

    def listed(value: Any) -> bool:
        return any(same_value(FIELDS[name], value, one) for one in arguments["values"])

    return _judge(arm, name, known, known and _any_server(name, value, listed))


@predicate("arm", {"field": FIELD_NAME, "pattern": TEXT, "stage": STAGE}, optional=("stage",))
def matches(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's text holds this pattern (RE2, linear time)."""
    import re2

    known, value = _known(arm, arguments["field"], arguments.get("stage"))
    return _judge(arm, arguments["field"], known, known and re2.search(arguments["pattern"], str(value)) is not None)


@predicate("arm", {"field": FIELD_NAME, "value": NUMBER})
def at_most(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's number is this or less."""
    name = arguments["field"]
    known, value = _known(arm, name)
    return _judge(arm, name, known, known and _any_server(name, value, lambda one: _number(one) <= arguments["value"]))


@predicate("arm", {"field": FIELD_NAME, "value": NUMBER})
def at_least(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's number is this or more."""
    name = arguments["field"]
    known, value = _known(arm, name)
    return _judge(arm, name, known, known and _any_server(name, value, lambda one: _number(one) >= arguments["value"]))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


@predicate("arm", {"field": FIELD_NAME})
def present(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field is known and not `none`."""
    known, value = _known(arm, arguments["field"])
    return _judge(arm, arguments["field"], known, known and str(value).lower() != "none")


@predicate("arm", {"field": FIELD_NAME})
def absent(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field is proven not to be set."""
    state = arm.record.state(arguments["field"])
    if state in ("absent", "known"):
        return Outcome(
            state == "absent" or str(arm.record.value(arguments["field"])).lower() == "none", arm.cite(arguments["field"])
        )
    return Outcome(None, missing=[missing(arm, arguments["field"])])


@predicate("arm", {"field": FIELD_NAME})
def undecided(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field is neither known nor proven absent (for rules about missing facts)."""
    name = arguments["field"]
    open_ = arm.record.state(name) in ("unknown", "conflict")
    return Outcome(open_, arm.cite(name), [missing(arm, name)] if open_ else [])


@predicate("arm", {"field": FIELD_NAME})
def conflicts(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """Equally strong evidence says different values."""
    return Outcome(arm.record.state(arguments["field"]) == "conflict", arm.cite(arguments["field"]))


@predicate("arm", {"field": FIELD_NAME})
def undeclared(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """Nobody asked for the value: the launch arguments, or a delegating word in the engine line, say so."""
    name = arguments["field"]
    requested = [fact for fact in arm.record.facts(name) if fact.stage == "requested"]
    asked = [fact for fact in requested if not FIELDS[name].delegates(fact.value)]
    if asked:
        return Outcome(False, [Cited(arm.name, name, fact) for fact in asked[:2]])
    if requested or arm.record.state("run.args") == "known":
        seen = [Cited(arm.name, name, fact) for fact in requested[:2]] or arm.cite("run.args")[:1]
        return Outcome(True, seen)
    return Outcome(None, missing=[f"arm {arm.name}: the launch arguments (a log with its arguments line, or the command)"])


@predicate("arm", {"field": FIELD_NAME, "stage": STAGE, "how": TEXT}, optional=("how",))
def overridden(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """What a stage says of the field is not what holds."""
    name = arguments["field"]
    said = [fact for fact in arm.record.facts(name) if _is_said(fact, name, arguments)]
    if not said:
        return Outcome(False)
    if arm.record.state(name) != "known":
        return Outcome(None, missing=[missing(arm, name)])
    value = arm.record.value(name)
    beaten = [fact for fact in said if not _agree(name, fact.value, value)]
    return Outcome(bool(beaten), [*(Cited(arm.name, name, fact) for fact in beaten[:2]), *arm.cite(name)])


def _is_said(fact: Fact, name: str, arguments: dict[str, Any]) -> bool:
    start = arguments.get("how", "")
    return fact.stage == arguments["stage"] and not FIELDS[name].delegates(fact.value) and (fact.how or "").startswith(start)


def _agree(name: str, left: Any, right: Any) -> bool:
    if name == "kv_cache.dtype":
        return compatible(str(left), str(right))
    return same_value(FIELDS[name], left, right)


@predicate("arm", {"field": FIELD_NAME, "bits": NUMBER})
def narrower_than(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field's element type has fewer bits than this."""
    name = arguments["field"]
    known, value = _known(arm, name)
    if known and _any_server(name, value, lambda one: bits(one) is None):
        return Outcome(None, missing=[f"arm {arm.name}: the width of {value}"])
    narrow = known and _any_server(name, value, lambda one: (bits(one) or 0.0) < arguments["bits"])
    return _judge(arm, name, known, narrow)


@predicate("arm", {"code": TEXT, "pattern": TEXT}, optional=("pattern",))
def notice(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The engine gave a notice of this code (whose text holds the pattern)."""
    facts = [fact for fact in arm.record.facts("engine.notices") if any(_is_notice(one, arguments) for one in fact.value)]
    if facts:
        return Outcome(True, [Cited(arm.name, "engine.notices", fact) for fact in facts[:3]])
    read = arm.record.state("engine.name") == "known"
    return Outcome(False) if read else Outcome(None, missing=[f"arm {arm.name}: an engine log"])


def _is_notice(one: Any, arguments: dict[str, Any]) -> bool:
    import re2

    if _code(one) != arguments["code"]:
        return False
    return "pattern" not in arguments or re2.search(arguments["pattern"], str(one.get("text"))) is not None


def _code(one: Any) -> Any:
    return one.get("code") if isinstance(one, dict) else None


@predicate(
    "arm",
    {"field": FIELD_NAME, "other": FIELD_NAME, "value": NUMBER, "share": NUMBER},
    optional=("value", "share"),
)
def exceeds(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The field is larger than the other by more than this, in units or as a share of the field."""
    names = (arguments["field"], arguments["other"])
    for name in names:
        if arm.record.state(name) != "known":
            return Outcome(None, missing=[missing(arm, name)])
    left, right = (_number(arm.record.value(name)) for name in names)
    limit = arguments.get("value", 0.0) + arguments.get("share", 0.0) * left
    return Outcome(left - right > limit, arm.cite(*names))


@predicate(
    "arm",
    {"field": FIELD_NAME, "key": TEXT, "values": {"type": "array", "items": TEXT}, "count": NUMBER},
)
def count_over(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """More than this many items of a list field have one of these values under a key."""
    name = arguments["field"]
    known, value = _known(arm, name)
    items = value if isinstance(value, list) else []
    hits = [one for one in items if isinstance(one, dict) and one.get(arguments["key"]) in arguments["values"]]
    return _judge(arm, name, known, len(hits) > arguments["count"])


@predicate("arm", {"field": FIELD_NAME, "value": NUMBER})
def any_item_over(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """One item of a list of numbers is larger than this."""
    known, value = _known(arm, arguments["field"])
    items = value if isinstance(value, list) else [value]
    return _judge(arm, arguments["field"], known, any(_number(item) > arguments["value"] for item in items))


@predicate("arm", {"field": FIELD_NAME, "values": {"type": "array", "items": TEXT, "minItems": 1}})
def any_item_of(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """A list field, or one of its lists per GPU, holds one of these words."""
    known, value = _known(arm, arguments["field"])
    items = value if isinstance(value, list) else [value]
    words = {str(word) for item in items for word in (item if isinstance(item, list) else [item])}
    return _judge(arm, arguments["field"], known, not words.isdisjoint(arguments["values"]))


@predicate("arm", {"count": NUMBER})
def failed_starts(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """At least this many starts in a row failed for the same cause."""
    starts = arm.record.sessions.starts
    if not starts:
        return Outcome(None, missing=[f"arm {arm.name}: an engine log with its starts"])
    run, longest, before = 0, 0, None
    for start in starts:
        cause = _cause(start) if start.ready is False or start.outcome.startswith("failed") else None
        run = run + 1 if cause and cause == before else int(cause is not None)
        longest, before = max(longest, run), cause
    return Outcome(longest >= arguments["count"], arm.cite("engine.starts", "engine.failure"))


def _cause(start: Start) -> str:
    """The cause without figures: two starts that ran out of memory differ in the number of bytes."""
    return "".join(letter for letter in (start.cause or start.outcome) if not letter.isdigit())


@predicate("arm", {"share": NUMBER, "slack": NUMBER})
def kv_pool_below_budget(arm: ArmContext, arguments: dict[str, Any]) -> Outcome:
    """The KV memory is below this share of utilization × device − weights, and the gap exceeds a share of the device."""
    names = ("memory.total_gib", "memory.utilization", "model.weights_gib", "kv_cache.memory_gib")
    open_ = [missing(arm, name) for name in names if arm.record.state(name) != "known"]
    if open_:
        return Outcome(None, missing=open_)
    total, utilization, weights, memory = (_number(arm.record.value(name)) for name in names)
    budget = total * utilization - weights
    collapsed = memory < arguments["share"] * budget and budget - memory > arguments["slack"] * total
    return Outcome(collapsed, arm.cite(*names))


@predicate("arm", {})
def load_over_concurrency(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """More requests were in flight than the pool holds at full length: by the log's statistics, or by what the client sends."""
    room = arm.record.value("kv_cache.max_concurrency")
    if not _is_number(room):
        return Outcome(None, missing=[missing(arm, "kv_cache.max_concurrency")])
    seen, sent = _requests_seen(arm), _requests_sent(arm)
    over = [
        names
        for names, load, capacity in (
            (("runtime.max_running", "runtime.max_waiting"), seen, room),
            (("result.max_concurrency",), sent, room * _workers(arm)),
        )
        if load is not None and load > capacity
    ]
    if over:
        return Outcome(True, arm.cite("kv_cache.max_concurrency", *(name for names in over for name in names)))
    if seen is None and sent is None:
        return Outcome(
            None, missing=[f"arm {arm.name}: the load driven (a log with its statistics, or the client's result file)"]
        )
    return Outcome(False, arm.cite("kv_cache.max_concurrency", "runtime.max_running"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _requests_seen(arm: ArmContext) -> float | None:
    """The most requests running and waiting that the log shows, per data-parallel worker."""
    found = [arm.record.value(name) for name in ("runtime.max_running", "runtime.max_waiting")]
    return float(found[0] + (found[1] if _is_number(found[1]) else 0)) if _is_number(found[0]) else None


def _requests_sent(arm: ArmContext) -> float | None:
    """The most requests in flight that a client allows itself, over its runs; None where workers may share them unseen."""
    value = arm.record.value("result.max_concurrency")
    allowed = [float(one) for one in (value if isinstance(value, list) else [value]) if _is_number(one)]
    return max(allowed) if allowed and _workers(arm) else None


def _workers(arm: ArmContext) -> int:
    """Data-parallel workers that share the load; 0 where they are not known."""
    value = arm.record.value("parallel.data")
    return value if isinstance(value, int) and arm.record.state("parallel.data") == "known" else 0
