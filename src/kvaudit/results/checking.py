"""Identities asked of a run: hold, fail, or unknown where a figure is missing.

Room: `results`. Three-valued arithmetic; what a failure is worth is said by the rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.results.formula import names_in, shown, value_of
from kvaudit.results.identities import IDENTITIES, Identity

_MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one identity on one run. `holds` is None where a figure is missing or the row does not apply."""

    identity: Identity
    run: Run
    holds: bool | None
    left: float | None = None
    right: float | None = None
    error: float = 0.0

    @property
    def serious(self) -> bool:
        """Whether the failure is a contradiction, and not just unusual."""
        limit = 0.0 if self.identity.hard else self.identity.serious
        return self.holds is False and limit is not None and self.error > limit

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities on both sides."""
        return tuple(dict.fromkeys((*names_in(self.identity.left), *names_in(self.identity.right))))

    @property
    def told(self) -> str:
        """Both figures and how far they are apart, in one line."""
        if self.left is None or self.right is None:
            return ""
        sign = "≤" if self.identity.relation == "<=" else "="
        sides = f"{_side(self.identity.left, self.left)} {sign} {_side(self.identity.right, self.right)}"
        return f"{sides} fails by {self.error:.2g} ({self.identity.meaning}, {self.identity.id})"


def check_run(run: Run) -> list[Check]:
    """Every identity that speaks of the run's tool, in the order of the table."""
    return [check(identity, run) for identity in IDENTITIES if identity.speaks_of(run.tool)]


def failures(run: Run) -> list[Check]:
    """The identities that fail on a run; of statistics out of order the first only."""
    failed = [one for one in check_run(run) if one.holds is False]
    ordered = [one for one in failed if one.identity.id == "I12"]
    return [one for one in failed if one not in ordered[1:]]


def check(identity: Identity, run: Run) -> Check:
    """One identity on one run."""
    left, right = value_of(identity.left, run), value_of(identity.right, run)
    if left is None or right is None or not all(_within(run, *one) for one in identity.when):
        return Check(identity, run, None)
    error = _error(left, right)
    names = (*names_in(identity.left), *names_in(identity.right))
    allowed = identity.tolerance_for(run.tool) + sum(_hidden_by_rounding(run, name) for name in dict.fromkeys(names))
    holds = error <= allowed + 1e-12 or (identity.relation == "<=" and left <= right)
    return Check(identity, run, holds, left, right, error)


def relative_error(left: float, right: float) -> float:
    """`|left − right| ÷ max(|left|, |right|)`; 0 where both are 0."""
    return _error(left, right)


def _error(left: float, right: float) -> float:
    largest = max(abs(left), abs(right))
    return abs(left - right) / largest if largest else 0.0


def _within(run: Run, formula: str, low: float, high: float) -> bool:
    value = value_of(formula, run)
    return value is not None and low <= value <= high


def _hidden_by_rounding(run: Run, name: str) -> float:
    """The relative error that the decimals of a printed figure leave open; none for counts and for figures in full."""
    held = run.values[name].value if name in run.values else None
    if not isinstance(held, float) or not math.isfinite(held) or not held or "e" in repr(held):
        return 0.0
    decimals = len(repr(held).partition(".")[2])
    return 0.5 * 10.0**-decimals / abs(held) if decimals <= _MOST_DECIMALS else 0.0


def _side(formula: str, value: float) -> str:
    number = f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    return number if formula.replace(".", "").isdigit() else f"{shown(formula)} ({number})"
