"""Votes about the KV element type and how they settle it.

Room: `record`. Engines bring votes (`vllm`), arithmetic brings votes (`arithmetic`); here they are only weighed. A lower rank
that disagrees is kept and shown; two of the best rank that disagree are a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations

from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.model import FieldState

FIELD = "kv_cache.dtype"


class Rank(IntEnum):
    """How strong a piece of evidence is; the smaller the stronger."""

    WORKER = 1
    ARITHMETIC = 2
    DECLARED = 3
    BACKEND = 4
    UNTOUCHED_AUTO = 5
    CHECKPOINT = 6


@dataclass(frozen=True, slots=True)
class Vote:
    """One piece of evidence: the element type it proves, how, and where it stands."""

    rank: Rank
    value: str
    how: str
    origins: tuple[Origin, ...]

    @property
    def stage(self) -> Stage:
        """Who speaks: the engine itself, or arithmetic and tables."""
        return "resolved" if self.rank in (Rank.WORKER, Rank.DECLARED) else "inferred"


_VARIANTS = {"fp8": {"fp8_e4m3", "fp8_e5m2", "fp8_ds_mla"}}


def compatible(left: str, right: str) -> bool:
    """Whether two element types can be the same: `fp8` leaves its variant open."""
    return left == right or right in _VARIANTS.get(left, ()) or left in _VARIANTS.get(right, ())


def bits(value: object) -> float | None:
    """Bits per element of an element type, scales not counted; None where the name does not say."""
    if not isinstance(value, str):
        return None
    name = value.lower()
    if name in {"bfloat16", "float16"}:
        return 16.0
    if name == "float32":
        return 32.0
    if name.startswith(("fp8", "int8", "q8_")):
        return 8.0
    if name.startswith(("nvfp4", "fp4", "int4", "q4_", "iq4")):
        return 4.0
    return None


def settle(facts: Sequence[Fact], votes: Sequence[Vote], because: str) -> FieldState:
    """The state of `kv_cache.dtype` from what was asked for (`facts`) and the votes."""
    shown = [*(one for one in facts if one.stage in ("requested", "stated"))]
    first = len(shown)
    ranked = sorted(votes, key=lambda vote: vote.rank)
    shown += [fact(FIELD, vote.value, vote.stage, list(vote.origins), how=vote.how) for vote in ranked]
    if not ranked:
        return FieldState(state="unknown", because=because, facts=shown)
    best = [vote for vote in ranked if vote.rank == ranked[0].rank]
    won = [first + index for index, vote in enumerate(ranked) if vote.rank == ranked[0].rank]
    if any(not compatible(one.value, other.value) for one, other in combinations(best, 2)):
        said = " and ".join(sorted({vote.value for vote in best}))
        return FieldState(state="conflict", because=f"equally strong evidence says {said}", facts=shown, won=won)
    value = _most_specific(best[0].value, ranked)
    return FieldState(state="known", value=value, unit=FIELDS[FIELD].unit, stage=best[0].stage, facts=shown, won=won)


def _most_specific(value: str, votes: Sequence[Vote]) -> str:
    """`fp8` becomes the variant that another vote names, as long as only one variant is named."""
    variants = {vote.value for vote in votes if vote.value in _VARIANTS.get(value, ())}
    return variants.pop() if len(variants) == 1 else value
