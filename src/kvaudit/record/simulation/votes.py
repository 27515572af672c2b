"""The votes of the arithmetic on the width of an element, and why bytes per element stay unknown.

Room: `record`, simulation, its entry. Plain attention has the simple division of `kv_dtype.arithmetic`, too.
"""

from __future__ import annotations

from kvaudit.fields import FIELDS
from kvaudit.record.kv_dtype import arithmetic
from kvaudit.record.kv_dtype.ladder import Vote
from kvaudit.record.model import FieldState
from kvaudit.record.table import FactTable

_ELEMENT = "kv_cache.bytes_per_element"


def width_votes(table: FactTable) -> list[Vote]:
    """The votes of the arithmetic for one arm; `table.reasons` says what is missing for bytes per element.

    On plain attention the simple division speaks, because it is easier to follow; the simulation only where it disagrees.
    """
    simple = arithmetic.width_votes(table)
    if table.value("engine.name") != "vllm":
        return simple
    if not isinstance(table.clue("clue.checkpoint_config"), dict):
        _explain(table, arithmetic.NO_CONFIG)
        return simple
    from kvaudit.record.simulation.proven import simulated

    votes, why = simulated(table)
    if why is not None:
        _explain(table, why)
    said = {vote.value for vote in simple}
    return [*simple, *(vote for vote in votes if vote.value not in said)]


def _explain(table: FactTable, why: str) -> None:
    """Bytes per element hold for plain attention only: elsewhere, and where a fact is missing, the reason is shown."""
    printed = all(table.value(name) is not None for name in ("kv_cache.memory_gib", "kv_cache.tokens"))
    if printed and table.state(_ELEMENT).state != "known":
        table.reasons[_ELEMENT] = why
        table.settled[_ELEMENT] = FieldState(state="unknown", unit=FIELDS[_ELEMENT].unit, because=why)
