"""The prefix hit rate by what the server told the client of each request, where neither counters nor log give one.

Room: `record`. Arithmetic on the runs of the arm.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import RUN_CLUE, Fact, Origin
from kvaudit.record.table import FactTable

_RATE = "runtime.prefix_hit_rate"
_CACHING = "kv_cache.prefix_caching"
_NAMES = ("cached_tokens", "input_tokens")


def add_client_hits(table: FactTable) -> None:
    """Infer the rate over all runs that tell both cached and prompt tokens, unless another fact speaks of it."""
    told = [figures for clue in table.clues.get(RUN_CLUE, []) if (figures := _figures(clue)) is not None]
    prompts, cached = sum(one[1] for one in told), sum(one[0] for one in told)
    if not told or not 0 <= cached <= prompts or not prompts:
        return
    origins = [origin for name in _NAMES for one in table.fields.get(f"result.{name}", []) for origin in one.origins]
    how = f"{cached:,} cached ÷ {prompts:,} prompt tokens, as the client was told"
    if not table.fields.get(_RATE) and table.value(_CACHING) is not False:
        table.infer(_RATE, round(cached / prompts, 4), how, _or_runs(origins, table))


def _or_runs(origins: list[Origin], table: FactTable) -> list[Origin]:
    return origins[:8] or [origin for clue in table.clues[RUN_CLUE] for origin in clue.origins[:1]][:8]


def _figures(clue: Fact) -> tuple[int, int] | None:
    """Cached and prompt tokens of a run."""
    values = clue.value.get("values") if isinstance(clue.value, dict) else None
    if not isinstance(values, dict):
        return None
    held: list[Any] = [values[name].get("value") if isinstance(values.get(name), dict) else None for name in _NAMES]
    numbers = [one for one in held if isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= 1 << 60]
    return (numbers[0], numbers[1]) if len(numbers) == len(_NAMES) else None
