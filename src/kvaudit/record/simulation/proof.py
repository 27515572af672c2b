"""Which element width a printed capacity, or the need of a failed start, allows: a test with whole blocks, not a percentage.

Room: `record`, simulation. A width passes when a whole number of blocks gives the printed tokens exactly and fits the printed
memory within its rounding. A wrong width misses the memory by 48 % or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kvaudit.record.simulation.capacity import blocks_per_request, layout_of, needed_bytes, tokens_per_round
from kvaudit.record.simulation.grouping import Layout
from kvaudit.record.simulation.releases import Release, candidates
from kvaudit.record.simulation.setup import GIB, ROUNDING_GIB, Setup, UnpredictableError


@dataclass(frozen=True, slots=True)
class Fit:
    """A width that passes under a release's rules, with the arithmetic in words."""

    width: float
    release: Release
    how: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the test found: the fits, and why nothing was found where there are none."""

    fits: tuple[Fit, ...]
    why: str = ""

    @property
    def width(self) -> float | None:
        """The width, where exactly one passed."""
        widths = {fit.width for fit in self.fits}
        return widths.pop() if len(widths) == 1 else None


def fits_capacity(setup: Setup, widths: Iterable[float], gib: float, tokens: int) -> Outcome:
    """The widths with which `gib` GiB a rank give exactly the printed `tokens`."""
    return _tested(setup, widths, lambda width, release: _capacity(setup, width, release, gib, tokens))


def fits_need(setup: Setup, widths: Iterable[float], gib: float) -> Outcome:
    """The widths with which one request of full length needs the `gib` GiB that a failed start names."""
    return _tested(setup, widths, lambda width, release: _need(setup, width, release, gib))


def _tested(setup: Setup, widths: Iterable[float], test: Callable[[float, Release], str | None]) -> Outcome:
    fits: list[Fit] = []
    reasons: list[str] = []
    for release in candidates(setup.version):
        for width in widths:
            try:
                how = test(width, release)
            except UnpredictableError as reason:
                reasons.append(str(reason))
                continue
            if how:
                fits.append(Fit(width, release, how))
    if fits:
        return Outcome(tuple(fits), "" if len({fit.width for fit in fits}) == 1 else "more than one element width fits")
    return Outcome(
        (), reasons[0] if reasons else "no element width gives the printed figures, so some fact is not as the log says"
    )


def _capacity(setup: Setup, width: float, release: Release, gib: float, tokens: int) -> str | None:
    layout = layout_of(setup, width, release)
    least = int(max(0.0, gib - ROUNDING_GIB) * GIB) // layout.bytes_per_block
    most = int((gib + ROUNDING_GIB) * GIB) // layout.bytes_per_block
    if release.by_concurrency:
        per_request = blocks_per_request(layout, setup, release)
        near = tokens * per_request // setup.max_model_len
        exact = (count for count in (near, near + 1) if int(count / per_request * setup.max_model_len) == tokens)
        blocks = next((count for count in exact if least <= count <= most), None)
        rest = f"÷ {per_request:,} blocks a request × {setup.max_model_len:,} tokens"
    else:
        blocks = _rounds(layout, setup, tokens, least, most)
        rest = f"÷ {len(layout.groups)} × {tokens_per_round(layout, setup):,} tokens"
    if blocks is None:
        return None
    return f"{gib} GiB ÷ {_described(layout)} = {blocks:,} blocks {rest} = {tokens:,} tokens"


def _rounds(layout: Layout, setup: Setup, tokens: int, least: int, most: int) -> int | None:
    """Blocks that the older print rounds down to `tokens`: a whole number of rounds over the groups."""
    count, rest = divmod(tokens, tokens_per_round(layout, setup))
    first, last = count * len(layout.groups), (count + 1) * len(layout.groups) - 1
    return max(first, least) if not rest and first <= most and last >= least else None


def _described(layout: Layout) -> str:
    groups = Counter((group.spec.kind.value, group.layers) for group in layout.groups)
    parts = [f"{count} × " * (count > 1) + f"{layers} {kind}" for (kind, layers), count in groups.items()]
    return f"{layout.bytes_per_block:,} bytes a block ({' + '.join(parts)} layers, {layout.smallest_block:,} tokens)"


def _need(setup: Setup, width: float, release: Release, gib: float) -> str | None:
    needed = needed_bytes(setup, width, release)
    if abs(needed / GIB - gib) > ROUNDING_GIB:
        return None
    layout = layout_of(setup, width, release)
    return f"one request of {setup.max_model_len:,} tokens × {_described(layout)} = {needed:,} bytes = {gib} GiB"
