"""How far apart two values are, and whether that is beyond the tolerance of their field.

Room: `audit`. Arithmetic on values only.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.report import Difference
from kvaudit.fields import FIELDS


def relative_gap(left: Any, right: Any) -> float:
    """1 − min ÷ max of two numbers; of anything else 0 where equal and 1 where not."""
    if isinstance(left, bool) or not isinstance(left, int | float) or not isinstance(right, int | float):
        return 0.0 if left == right else 1.0
    return 0.0 if left == right else abs(left - right) / max(abs(left), abs(right))


def beyond_tolerance(difference: Difference) -> bool:
    """Whether a difference is larger than its field's tolerance; lists are compared item by item."""
    tolerance = FIELDS[difference.field].tolerance
    left, right = difference.values
    if not tolerance:
        return True
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return any(relative_gap(one, other) > tolerance for one, other in zip(left, right, strict=True))
    return relative_gap(left, right) > tolerance
