"""From layer specifications to groups that share one pool of blocks.

Room: `record`, simulation. One block number belongs to one group at a time, and a block takes the same bytes in every group:
pages are made equal, layers of one kind are split into groups of equal size, the last one padded. A KV layout with blocks
outermost (0.29 and newer, by environment variable or connector) packs unequal pages instead: not followed here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from kvaudit.record.simulation.layers import Kind, Spec
from kvaudit.record.simulation.releases import Release
from kvaudit.record.simulation.setup import UnpredictableError


@dataclass(frozen=True, slots=True)
class Group:
    """Layers that share a block table: their specification, how many there are."""

    spec: Spec
    layers: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The groups and the bytes that one block takes on a rank, padding included."""

    bytes_per_block: int
    groups: tuple[Group, ...]

    @property
    def smallest_block(self) -> int:
        """Tokens of the shortest block."""
        return min(group.spec.block for group in self.groups)


def grouped(specs: Counter[Spec], release: Release) -> Layout:
    """The groups of these layers. Raises `UnpredictableError` where vLLM would need rules that are not known here."""
    if not specs:
        raise UnpredictableError("no layer keeps anything in the KV cache")
    if _one_type(specs, release):
        first = next(iter(specs))
        return Layout(sum(spec.page * count for spec, count in specs.items()), (Group(first, specs.total()),))
    equal = _equal_pages(specs, release)
    size = _group_size(list(equal.values()), release)
    groups: list[Group] = []
    for spec, count in equal.items():
        rest = count
        for left in range(-(-count // size), 0, -1):
            layers = -(-rest // left)
            groups.append(Group(spec, layers))
            rest -= layers
    return Layout(next(iter(equal)).page * size, tuple(groups))


def _one_type(specs: Counter[Spec], release: Release) -> bool:
    """All layers need the same number of blocks: one specification, or full layers that differ in shape only."""
    if len(specs) == 1:
        return True
    full = all(spec.kind is Kind.FULL for spec in specs) and len({spec.block for spec in specs}) == 1
    if full and not release.mixed_shapes:
        raise UnpredictableError("layers of different shape were not supported by this release")
    return full


def _equal_pages(specs: Counter[Spec], release: Release) -> Counter[Spec]:
    """Blocks grow until every page is as large as the largest."""
    largest = max(spec.page for spec in specs)
    if any(spec.page != largest for spec in specs) and not release.scaled_blocks:
        raise UnpredictableError("pages of different size were not supported by this release")
    equal: Counter[Spec] = Counter()
    for spec, count in specs.items():
        if spec.page != largest and (spec.kind is Kind.STATE or largest % spec.page):
            raise UnpredictableError("pages of different size that do not divide each other")
        equal[spec.with_page(largest)] += count
    return equal


def _group_size(counts: list[int], release: Release) -> int:
    """Layers a group: the smallest count, or the largest where the counts are close."""
    smallest, largest = min(counts), max(counts)
    return largest if largest < smallest * release.padding else smallest
