"""The element type that the simulation proves, from the pool of a good start or the need of a failed one.

Room: `record`, simulation. Only the width is free; loaded where a configuration of the model is at hand.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import Origin
from kvaudit.record.kv_dtype import arithmetic
from kvaudit.record.kv_dtype.ladder import Rank, Vote, bits
from kvaudit.record.simulation.gather import setup_of
from kvaudit.record.simulation.proof import Outcome, fits_capacity, fits_need
from kvaudit.record.simulation.setup import GIB, NVFP4, Setup, UnpredictableError
from kvaudit.record.table import FactTable

_INPUTS = ("kv_cache.memory_gib", "kv_cache.tokens", "model.max_len", "parallel.tensor")
_SHAPE = ("model.layers", "model.kv_heads", "model.head_dim")
_LARGEST = 1 << 60


def simulated(table: FactTable) -> tuple[list[Vote], str | None]:
    """The votes, and why no one number of bytes per element holds: a fact that is missing, or layers that differ."""
    try:
        setup = _setup(table)
        votes, why = _from_capacity(table, setup)
        return [*votes, *_from_need(table, setup)], why
    except UnpredictableError as reason:
        return [], str(reason)


def _setup(table: FactTable) -> Setup:
    config = table.clue("clue.checkpoint_config")
    if isinstance(config, dict) and not arithmetic.same_model(table, config):
        raise UnpredictableError("the config.json is of another architecture than the log names")
    return setup_of(table)


def _from_capacity(table: FactTable, setup: Setup) -> tuple[list[Vote], str | None]:
    gib, tokens = table.value("kv_cache.memory_gib"), table.value("kv_cache.tokens")
    if not _is_memory(gib) or not isinstance(tokens, int) or not 0 < tokens < _LARGEST:
        return [], None
    outcome = fits_capacity(setup, _widths(setup), float(gib), tokens)
    why = outcome.why or f"{setup.config.get('why')}: no one number of bytes per element holds for every layer"
    return _vote(table, outcome, [origin for name in _INPUTS for origin in table.origins(name)[:1]]), why


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
