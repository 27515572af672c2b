"""The gate without its extra, and that nothing else loads it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kvaudit.errors import KvauditError
from kvaudit.results.gate.accuracy import decide_accuracy
from kvaudit.results.gate.decide import decide


def test_without_scipy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("scipy", "scipy.stats"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(KvauditError, match=r"pip install 'kvaudit\[results\]'"):
        decide([1.0] * 6, [2.0] * 6)


def test_accuracy_needs_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("scipy", "scipy.stats", "numpy"):
        monkeypatch.setitem(sys.modules, module, None)
    assert decide_accuracy({"a": True}, {"a": True}).decision == "tie"


def test_importing_the_gate_loads_no_scipy() -> None:
    code = "import sys, kvaudit.results.gate; sys.exit(any(name in sys.modules for name in ('scipy', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
