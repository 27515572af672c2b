"""The counters of an arm: windows between its metrics dumps, and what follows for the run.

Room: `record.counters`, its entry.
"""

from __future__ import annotations

from pydantic import ValidationError

from kvaudit.parsers.facts import COUNTERS_CLUE, WINDOW_CLUE, Origin
from kvaudit.parsers.metrics.shapes import Counters, Window
from kvaudit.parsers.tables import fact
from kvaudit.record.counters.identity import Dump, lives
from kvaudit.record.counters.runtime import add_runtime
from kvaudit.record.counters.windows import refused, windows_of
from kvaudit.record.table import FactTable

_MOST_DUMPS = 64
_OWN = "lmcache"
"""Counters of a cache tier that runs by itself: no engine's window."""


_OF_NOBODY = "the arm has several servers, and nothing says whose counters these are"


def set_apart(table: FactTable) -> None:
    """Say of every dump that nobody knows whose it is: windows are kept, the figures of the run are not."""
    held = [Dump(one.counters.model_copy(update={"mixed": _OF_NOBODY}), one.origins) for one in _dumps(table)]
    table.clues[COUNTERS_CLUE] = [fact(COUNTERS_CLUE, one.counters.model_dump(), "observed", one.origins) for one in held]


def add_counters(table: FactTable) -> None:
    """Add `clue.metrics_window`, and infer prefix hit rate, preemptions and acceptance from the arm's metrics dumps."""
    dumps = _dumps(table)
    if not dumps:
        return
    engines = [dump for dump in dumps if dump.counters.engine != _OWN]
    windows = _windows(engines)
    others = _windows([dump for dump in dumps if dump.counters.engine == _OWN])
    table.clues[WINDOW_CLUE] = [fact(WINDOW_CLUE, one.model_dump(), "inferred", _origins(one)) for one in (*windows, *others)]
    whole = next((one for one in windows if one.whole), None)
    if whole is not None:
        add_runtime(table, whole, engines)


def _dumps(table: FactTable) -> list[Dump]:
    """The sound clues; a saved record may hold anything under the name."""
    found = []
    for clue in table.clues.get(COUNTERS_CLUE, [])[:_MOST_DUMPS]:
        try:
            counters = Counters.model_validate(clue.value)
        except ValidationError:
            continue
        if all(value >= 0 for value in (*counters.values.values(), *counters.by_reason.values())):
            found.append(Dump(counters, clue.origins))
    return found


def _windows(dumps: list[Dump]) -> list[Window]:
    """The windows of the dumps. Of several servers, or several starts, each has its own and the arm has none."""
    if not dumps:
        return []
    groups, why = lives(dumps)
    if why is None:
        return windows_of(groups[0])
    partial = [one.model_copy(update={"whole": False}) for group in groups for one in windows_of(group)]
    return [refused(dumps, why), *partial]


def _origins(window: Window) -> list[Origin]:
    return list(dict.fromkeys(origin for held in window.origins.values() for origin in held))
