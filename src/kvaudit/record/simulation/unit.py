"""Bytes per token of the printed capacity with a given element width: what two arms of one layout can be compared by.

Room: `record`, simulation. For hybrids the ratio of two widths is not 2: recurrent states do not shrink with the KV cache.
"""

from __future__ import annotations

from dataclasses import replace

from kvaudit.record.simulation.capacity import blocks_per_request, layout_of, tokens_per_round
from kvaudit.record.simulation.layers import full_token_bytes
from kvaudit.record.simulation.releases import Release, candidates
from kvaudit.record.simulation.setup import Setup, UnpredictableError
from kvaudit.record.simulation.states import FAMILIES, derived_block


def unit_bytes_per_token(setup: Setup, width: float) -> float:
    """KV memory of a rank ÷ printed tokens with `width` bytes an element.

    The block of a hybrid model is derived for this width; the printed one, which belongs to the width that ran, must be one that
    the derivation gives. Raises `UnpredictableError`, also where a build without a clear version may count in two ways.
    """
    units = {_unit(_with_block_for(setup, width, release), width, release) for release in candidates(setup.version)}
    if len(units) > 1:
        raise UnpredictableError("the version leaves open what the printed capacity counts")
    return units.pop()


def bits_ratio(setup_a: Setup, width_a: float, setup_b: Setup, width_b: float) -> float:
    """Bytes per token of a ÷ those of b, each with its own element width. Raises `UnpredictableError`."""
    return unit_bytes_per_token(setup_a, width_a) / unit_bytes_per_token(setup_b, width_b)


def _unit(setup: Setup, width: float, release: Release) -> float:
    layout = layout_of(setup, width, release)
    if release.by_concurrency:
        return layout.bytes_per_block * blocks_per_request(layout, setup, release) / setup.max_model_len
    return layout.bytes_per_block * len(layout.groups) / tokens_per_round(layout, setup)


def _with_block_for(setup: Setup, width: float, release: Release) -> Setup:
    if setup.state_block is None or not release.block_after_loading or setup.config.get("model_type") not in FAMILIES:
        return setup
    blocks = {tried: derived_block(setup, full_token_bytes(setup, tried)) for tried in (setup.model_width, 1.0, width)}
    if setup.state_block not in blocks.values():
        raise UnpredictableError("the printed attention block is none that a state of this model asks for")
    return replace(setup, state_block=blocks[width])
