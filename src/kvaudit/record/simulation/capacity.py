"""From groups to blocks, blocks of a request, concurrency, and the tokens that vLLM prints.

Room: `record`, simulation. Floors and ceilings stand where vLLM has them, so that a printed capacity comes out to the token
where the memory is known to the byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import Version

from kvaudit.record.simulation.grouping import Group, Layout, grouped
from kvaudit.record.simulation.layers import PREFIX_CACHING_UNKNOWN, Kind, layer_specs
from kvaudit.record.simulation.releases import Release
from kvaudit.record.simulation.setup import GIB, Setup, UnpredictableError

_MAMBA_CHECKPOINTS = Version("0.32.0")
_DELTA_CHECKPOINTS = Version("0.33.0")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a start would print: `blocks` of `layout.bytes_per_block` bytes a rank, and the capacity in tokens."""

    layout: Layout
    blocks: int
    blocks_per_request: int | None
    """Blocks of a request of full length; None where the printed capacity does not depend on it and a fact for it is missing."""
    tokens: int


def simulate(setup: Setup, width: float, release: Release, gib: float) -> Prediction:
    """The capacity that `gib` GiB a rank give with `width` bytes an element. Raises `UnpredictableError`."""
    layout = layout_of(setup, width, release)
    blocks = int(gib * GIB) // layout.bytes_per_block
    if release.by_concurrency:
        per_request = blocks_per_request(layout, setup, release)
        return Prediction(layout, blocks, per_request, int(blocks / per_request * setup.max_model_len))
    tokens = blocks // len(layout.groups) * tokens_per_round(layout, setup)
    return Prediction(layout, blocks, _if_known(layout, setup, release), tokens)


def layout_of(setup: Setup, width: float, release: Release) -> Layout:
    """The groups of a start with `width` bytes an element."""
    return grouped(layer_specs(setup, width, release), release)


def tokens_per_round(layout: Layout, setup: Setup) -> int:
    """Tokens that one block of every group adds to the printed capacity, before 0.20.1."""
    return layout.smallest_block * setup.decode_context * setup.prefill_context


def blocks_per_request(layout: Layout, setup: Setup, release: Release) -> int:
    """Blocks that a request of full length takes, over all groups."""
    return sum(_blocks(group, setup, release) for group in layout.groups)


def needed_bytes(setup: Setup, width: float, release: Release) -> int:
    """Bytes of one request of full length, as the message of a failed start adds them up."""
    specs = layer_specs(setup, width, release)
    if release.needed == "layers":
        return sum(_blocks(Group(spec, count), setup, release) * spec.page * count for spec, count in specs.items())
    layout = grouped(specs, release)
    if release.needed == "first group" and len(layout.groups) > 1:
        raise UnpredictableError("this release counts the first group only, whichever that is")
    return layout.bytes_per_block * blocks_per_request(layout, setup, release)


def _if_known(layout: Layout, setup: Setup, release: Release) -> int | None:
    try:
        return blocks_per_request(layout, setup, release)
    except UnpredictableError:
        return None


def _blocks(group: Group, setup: Setup, release: Release) -> int:
    kind, block = group.spec.kind, group.spec.block
    if kind is Kind.FULL:
        return _ceil(_own_share(setup, release), block)
    if kind is Kind.SLIDING:
        return _ceil(_window_tokens(group.spec.window, setup, release), block) + 1
    return _states(group.spec.mode, block, setup, release)


def _own_share(setup: Setup, release: Release) -> int:
    """Tokens of a request that one rank keeps: context ranks share them."""
    ranks = setup.decode_context * (setup.prefill_context if release.prefill_context_divides else 1)
    return _ceil(setup.max_model_len, ranks)


def _window_tokens(window: int, setup: Setup, release: Release) -> int:
    """Tokens a windowed layer keeps: the window before the batches in flight, never more than the context."""
    if setup.decode_context > 1:
        raise UnpredictableError("context parallelism with windowed layers was not read")
    limit = setup.max_model_len
    if window - 1 >= limit:
        return limit
    if setup.batched_tokens is None:
        raise UnpredictableError("max_num_batched_tokens, which windowed layers depend on, is not printed")
    once = min(window - 1 + setup.batched_tokens, limit)
    if not release.two_batches:
        return once
    twice = min(window - 1 + 2 * setup.batched_tokens, limit)
    if setup.asynchronous is None and once != twice:
        raise UnpredictableError("whether scheduling is asynchronous, which windowed layers depend on, is not printed")
    return twice if setup.asynchronous else once


def _states(mode: str, block: int, setup: Setup, release: Release) -> int:
    """Blocks of states for one request: one (or two) and one for each drafted token, or one for every block of tokens."""
    drafted = setup.speculative_tokens
    if not release.state_modes or mode == "all":
        extra = drafted if release.state_modes and release.spec_blocks_in_all else 0
        return _ceil(setup.max_model_len, block) + extra
    if mode == "none":
        return 1 + drafted
    if mode != "align":
        raise UnpredictableError(PREFIX_CACHING_UNKNOWN)
    return 2 + drafted + _checkpoints(setup, release)


def _checkpoints(setup: Setup, release: Release) -> int:
    """Blocks for states taken inside a prefill: Mamba 2 since 0.32; gated delta nets since 0.33 with some backends."""
    if str(setup.config.get("model_type")) == "nemotron_h":
        return int(release.version >= _MAMBA_CHECKPOINTS)
    if release.version >= _DELTA_CHECKPOINTS:
        raise UnpredictableError("whether the backend keeps states inside a prefill, as 0.33 may, is not printed")
    return 0


def _ceil(count: int, size: int) -> int:
    return -(-count // size)
