"""Reports and records as JSON documents, masked and in a stable order.

Room: `reports`. The key names are those of the models, which are the contract; only numbers are rounded here, so that binary
noise is no difference between two runs.
"""

from __future__ import annotations

import json
import math
from typing import Any

from kvaudit.redaction import Redactor
from kvaudit.reports.github_actions import disarm_json
from kvaudit.shapes import plain

_DIGITS = 10
_RATIO_DIGITS = 6
_RATIO_KEYS = frozenset({"ratio", "residual"})


def document(shape: Any, redactor: Redactor) -> dict[str, Any]:
    """A report or record as a JSON-able object: exact key names, secrets masked, floats rounded, no NaN."""
    written = redactor.document(plain(shape))
    rounded: dict[str, Any] = _rounded(written, "")
    return rounded


def to_json(written: dict[str, Any]) -> str:
    """The document as JSON text that ends in a newline."""
    return disarm_json(json.dumps(written, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _rounded(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item, key) for item in value]
    return _number(value, key) if isinstance(value, float) else value


def _number(value: float, key: str) -> float | None:
    """Ratios to six significant digits, other figures to ten; what is no number becomes null."""
    if not math.isfinite(value):
        return None
    return float(f"{value:.{_RATIO_DIGITS if key in _RATIO_KEYS else _DIGITS}g}")
