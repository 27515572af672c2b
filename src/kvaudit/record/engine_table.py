"""What an engine version does with a checkpoint's KV statement, looked up in `rules/engines/<engine>.yaml`.

Room: `record`. The behaviour itself is data; here is only the look-up, and what an in-between build may claim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from packaging.version import Version

from kvaudit.bundled import rules_folder
from kvaudit.compiled import compiled
from kvaudit.record.versions import Bounds, within


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What `auto` becomes.

    `value` is an element type or `model`; `shown` says whether the log tells; `beats_flag` whether the checkpoint wins over an
    explicit flag, None for a build between two releases that differ in it.
    """

    row: str
    value: str
    shown: bool
    beats_flag: bool | None


@cache
def engine_table(engine: str) -> dict[str, Any]:
    """The table of an engine; empty where there is none."""
    if (held := compiled()) is not None:
        return dict(held["engines"].get(engine, {}))
    import yaml

    path = rules_folder() / "engines" / f"{engine}.yaml"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8") as stream:
        return dict(yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506 - the safe loader in C


def kv_dtype_under_auto(engine: str, version: Bounds, statement: dict[str, Any]) -> Behaviour | None:
    """What the engine makes of `auto` for this statement.

    A build between two releases gets an answer only where the rows of both releases agree. None where no row speaks.
    """
    row = row_of(engine, statement)
    return _agreed(*(_result(row, end) for end in (version.low, version.high))) if row else None


def row_of(engine: str, statement: dict[str, Any]) -> dict[str, Any] | None:
    """The row of the engine's table that speaks of this statement, for all its releases; None where none does."""
    for row in engine_table(engine).get("auto_kv_dtype", []):
        if all(_holds(statement.get(key), wanted) for key, wanted in row["when"].items()):
            return dict(row)
    return None


def _agreed(low: Behaviour | None, high: Behaviour | None) -> Behaviour | None:
    if low is None or high is None or (low.value, low.shown) != (high.value, high.shown):
        return None
    return low if low.beats_flag == high.beats_flag else replace(low, beats_flag=None)


def _holds(found: Any, wanted: Any) -> bool:
    return found in wanted if isinstance(wanted, list) else found == wanted and type(found) is type(wanted)


def _result(row: dict[str, Any], version: Any) -> Behaviour | None:
    for result in row["results"]:
        if within(version, result.get("since"), result.get("until")):
            return Behaviour(row["id"], result["value"], bool(result["shown"]), bool(result.get("beats_flag")))
    return None


def span_of_names(engine: str, arguments: dict[str, Any]) -> Bounds | None:
    """The releases whose launch arguments have the names at hand; None where no name tells.

    `since` of a row is the last release known to lack the name, `until` the first one that lacks it again: builds between two
    releases lie inside.
    """
    rows = [row for row in engine_table(engine).get("argument_names", []) if row["name"] in arguments]
    since = [Version(row["since"]) for row in rows if "since" in row]
    until = [Version(row["until"]) for row in rows if "until" in row]
    if not rows:
        return None
    low = max(since, default=Version("0"))
    high = Version(f"{min(until)}.dev0") if until else Version("999")
    return Bounds(low, high, released=False) if low <= high else None


def is_model_driven(engine: str, architecture: str | None) -> bool:
    """Whether this architecture chooses its own KV layout."""
    prefixes = engine_table(engine).get("model_driven_architectures", [])
    return bool(architecture) and any(str(architecture).startswith(prefix) for prefix in prefixes)
