"""Where vLLM releases plan the KV cache differently.

Room: `record`, simulation. One row of facts for a version; `candidates` gives the rows a build between two releases may follow.
Read in kv_cache_utils.py and kv_cache_interface.py (0.33: kv_cache_planning.py) of 0.9.1, 0.9.2, 0.10.0 to 0.12.0, 0.13.0,
0.14.0 to 0.19.1, 0.20.0 to 0.22.1, 0.23.0, 0.24.0, 0.25.0, 0.25.1 and 0.26.0 to 0.33.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from packaging.version import Version

from kvaudit.record.simulation.setup import UnpredictableError
from kvaudit.record.versions import Bounds

FIRST = Version("0.9.1")
_CHANGES = tuple(
    Version(text)
    for text in (
        *("0.11.0", "0.12.0", "0.14.0", "0.15.0", "0.18.0", "0.19.0", "0.20.0", "0.20.1", "0.22.0", "0.25.0"),
        *("0.26.0", "0.28.0", "0.32.0", "0.33.0"),
    )
)
_UNVERSIONED = (Version("0.20.0"), Version("0.25.0"))
"""A build without a version is tried with both meanings of the printed capacity."""


@dataclass(frozen=True, slots=True)
class Release:
    """How one release plans. The defaults are those of 0.9.1."""

    version: Version
    padding: float = 1.0
    """Layer kinds whose counts differ by less than this factor are padded to the larger count instead of split."""
    by_concurrency: bool = False
    """The printed capacity is concurrency × context limit; before 0.20.1 blocks ÷ groups × smallest block × context ranks."""
    mixed_shapes: bool = False
    """Full layers of different shape share one group (0.11.0)."""
    scaled_blocks: bool = False
    """Pages of different size are made equal by longer blocks (0.12.0)."""
    needed: Literal["layers", "first group", "groups"] = "layers"
    """What the message of a failed start adds up."""
    state_modes: bool = False
    """Recurrent states have cache modes and blocks for drafted tokens (0.15)."""
    block_after_loading: bool = False
    """The block of hybrid models follows the effective KV dtype (0.20.0); before, the one in the engine line."""
    spec_blocks_in_all: bool = False
    """States kept for every block also have blocks for drafted tokens (0.22)."""
    values_in_windows: bool = False
    """Windowed layers count K and V of different size (0.20.0)."""
    windows_own_block: bool = False
    """Windowed layers take the smallest block of their kernel, 16 (0.25)."""
    two_batches: bool = False
    """Windows hold every batch in flight, two with asynchronous scheduling (0.26)."""
    prefill_context_divides: bool = True
    """Prefill context ranks share a request's tokens (to 0.27)."""
    aligned_only: bool = False
    """Prefix caching keeps aligned states for every family (0.28)."""


def release(version: Version) -> Release:
    """The row of a version. Raises `UnpredictableError` for versions before 0.9.1."""
    if version < FIRST:
        raise UnpredictableError(f"how vLLM before {FIRST} groups layers was not read")

    def since(text: str) -> bool:
        return version >= Version(text)

    return Release(
        version=version,
        padding=1.5 if since("0.18.0") else 1.25 if since("0.12.0") else 1.0,
        by_concurrency=since("0.20.1"),
        mixed_shapes=since("0.11.0"),
        scaled_blocks=since("0.12.0"),
        needed="groups" if since("0.19.0") else "first group" if since("0.14.0") else "layers",
        state_modes=since("0.15.0"),
        block_after_loading=since("0.20.0"),
        spec_blocks_in_all=since("0.22.0"),
        values_in_windows=since("0.20.0"),
        windows_own_block=since("0.25.0"),
        two_batches=since("0.26.0"),
        prefill_context_divides=not since("0.28.0"),
        aligned_only=since("0.28.0"),
    )


def candidates(bounds: Bounds | None) -> tuple[Release, ...]:
    """The releases a build may plan like: one for a release, several for a build between releases or without a version."""
    if bounds is None:
        return tuple(release(version) for version in _UNVERSIONED)
    inside = [change for change in _CHANGES if bounds.low < change <= bounds.high]
    return tuple(release(version) for version in (bounds.low, *inside))
