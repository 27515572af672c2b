"""The one place that loads SciPy, which only the gate needs.

Room: `results`. Nothing is computed here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kvaudit.errors import KvauditError

HINT = "the acceptance gate needs SciPy: pip install 'kvaudit[results]'"


def load(module: str) -> Any:
    """`numpy` or `scipy.stats`; KvauditError that says what to install where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise KvauditError(HINT) from error
