"""Real engines are tested on demand: `make test-real`, `make test-real-light`. Elsewhere nothing here is collected.

KVAUDIT_REAL is `light` (llama.cpp) or `full` (vLLM too).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.real import environments

WANTED = os.environ.get("KVAUDIT_REAL", "")
collect_ignore_glob = {"full": [], "light": ["test_vllm*.py"]}.get(WANTED, ["test_*.py"])


@pytest.fixture(scope="session")
def llama_environment() -> Path:
    try:
        return environments.llama_cpp()
    except environments.Unavailable as reason:
        pytest.skip(f"llama.cpp cannot be had here: {reason}")


@pytest.fixture(scope="session")
def vllm_environment() -> Path:
    try:
        return environments.vllm()
    except environments.Unavailable as reason:
        pytest.skip(f"vLLM's CPU build cannot be had here: {reason}")
