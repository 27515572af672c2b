"""The element type that the simulation proves, from the pool of a good start or the need of a failed one.

Room: `record`, simulation. Only the width is free. Plain attention has the simple division of `kv_dtype.arithmetic`, too.
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Origin
from kvaudit.record.kv_dtype import arithmetic
from kvaudit.record.kv_dtype.ladder import Rank, Vote, bits
from kvaudit.record.model import FieldState
from kvaudit.record.simulation.gather import setup_of
from kvaudit.record.simulation.proof import Outcome, fits_capacity, fits_need
from kvaudit.record.simulation.setup import GIB, NVFP4, Setup, UnpredictableError
from kvaudit.record.table import FactTable

_INPUTS = ("kv_cache.memory_gib", "kv_cache.tokens", "model.max_len", "parallel.tensor")
_SHAPE = ("model.layers", "model.kv_heads", "model.head_dim")
_LARGEST = 1 << 60
_ELEMENT = "kv_cache.bytes_per_element"


def width_votes(table: FactTable) -> list[Vote]:
    """The votes of the arithmetic for one arm; `table.reasons` says what is missing for bytes per element.

    On plain attention the simple division speaks, because it is easier to follow; the simulation only where it disagrees.
    """
    simple = arithmetic.width_votes(table)
    if table.value("engine.name") != "vllm":
        return simple
    try:
        simulated = _simulated(table)
    except UnpredictableError as reason:
        _explain(table, str(reason))
        return simple
    said = {vote.value for vote in simple}
    return [*simple, *(vote for vote in simulated if vote.value not in said)]


def _simulated(table: FactTable) -> list[Vote]:
    config = table.clue("clue.checkpoint_config")
    if isinstance(config, dict) and not arithmetic.same_model(table, config):
        raise UnpredictableError("the config.json is of another architecture than the log names")
    setup = setup_of(table)
    return [*_from_capacity(table, setup), *_from_need(table, setup)]


def _from_capacity(table: FactTable, setup: Setup) -> list[Vote]:
    gib, tokens = table.value("kv_cache.memory_gib"), table.value("kv_cache.tokens")
    if not _is_memory(gib) or not isinstance(tokens, int) or not 0 < tokens < _LARGEST:
        return []
    outcome = fits_capacity(setup, _widths(setup), float(gib), tokens)
    _explain(table, outcome.why or f"{setup.config.get('why')}: no one number of bytes per element holds for every layer")
    return _vote(table, outcome, [origin for name in _INPUTS for origin in table.origins(name)[:1]])


def _from_need(table: FactTable, setup: Setup) -> list[Vote]:
    gib, tokens = table.clue("clue.kv_needed_gib"), table.clue("clue.kv_needed_tokens")
    if not _is_memory(gib) or tokens != setup.max_model_len:
        return []
    outcome = fits_need(setup, _widths(setup), float(gib))
    return _vote(table, outcome, table.clue_origins("clue.kv_needed_gib"))


def _is_memory(gib: Any) -> bool:
    return isinstance(gib, int | float) and 0 < gib < _LARGEST / GIB


def _widths(setup: Setup) -> tuple[float, ...]:
    return tuple(dict.fromkeys((setup.model_width, 2.0, 1.0, NVFP4)))


def _vote(table: FactTable, outcome: Outcome, origins: list[Origin]) -> list[Vote]:
    width = outcome.width
    value = {1.0: "fp8", NVFP4: "nvfp4"}.get(width or 0.0, _of_model(table, width))
    if value is None or width is None:
        return []
    shape = [origin for name in _SHAPE for origin in table.origins(name)[:1]]
    origins = [*origins, *(shape or table.clue_origins("clue.checkpoint_config")[:1])]
    how = f"{outcome.fits[0].how}, as printed, with {width:g} byte{'s' * (width != 1)} an element and no other width"
    return [Vote(Rank.ARITHMETIC, value, how, tuple(origins))]


def _of_model(table: FactTable, width: float | None) -> str | None:
    """The model's dtype, where an element of the cache is as wide: 16 bits beside a 32-bit model may be of two kinds."""
    dtype = table.value("model.dtype")
    return str(dtype) if width is not None and bits(dtype) == 8 * width else None


def _explain(table: FactTable, why: str) -> None:
    """Bytes per element hold for plain attention only: elsewhere, and where a fact is missing, the reason is shown."""
    printed = all(table.value(name) is not None for name in ("kv_cache.memory_gib", "kv_cache.tokens"))
    if printed and table.state(_ELEMENT).state != "known":
        table.reasons[_ELEMENT] = why
        table.settled[_ELEMENT] = FieldState(state="unknown", unit=FIELDS[_ELEMENT].unit, because=why)
