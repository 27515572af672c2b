from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.context import ArmContext
from kvaudit.audit.messages import fill
from kvaudit.audit.rules import bundled_rules
from tests.audit.arms import record

COLLAPSED: dict[str, Any] = {
    "engine.name": "vllm",
    "memory.total_gib": 80.0,
    "memory.utilization": 0.9,
    "model.weights_gib": 16.0,
    "kv_cache.memory_gib": 7.0,
    "kv_cache.tokens": 57_344,
}
"""72 GiB − 16 GiB leave 56 GiB, eight times the 7 GiB of the pool."""


def told(fields: dict[str, Any], name: str = "kv-capacity-collapsed") -> str:
    rule = next(rule for rule in bundled_rules() if rule.id == name)
    return fill(rule.message, ArmContext("a", record(fields), frozenset(), alone=True))


def test_a_collapsed_pool_is_set_against_what_would_fit() -> None:
    assert told(COLLAPSED).endswith(
        "less than half of what these leave: 57,344 tokens in 7.00 GiB, where 56.00 GiB would hold up to 458,752."
    )


@pytest.mark.parametrize("changed", [{"kv_cache.tokens": None}, {"kv_cache.memory_gib": 60.0}])
def test_without_figures_the_sentence_ends_before(changed: dict[str, Any]) -> None:
    assert told(COLLAPSED | changed).endswith("less than half of what these leave.")


def test_an_unknown_variable_is_set_against_the_nearest_name() -> None:
    notices = [
        {"code": "unknown-environment-variable", "text": f"Unknown vLLM environment variable detected: {name}"}
        for name in ("VLLM_LOGING_LEVEL", "VLLM_FAST")
    ]
    fields = {"engine.name": "vllm", "engine.version": "0.25.1", "engine.notices": notices}
    assert told(fields, "unknown-environment-variable").endswith(
        "has no effect: VLLM_LOGING_LEVEL (nearest valid name VLLM_LOGGING_LEVEL); VLLM_FAST."
    )


def test_the_load_stands_beside_what_the_pool_holds() -> None:
    fields = {"kv_cache.max_concurrency": 2.5, "runtime.max_running": 3, "runtime.max_waiting": 61}
    assert told(fields, "concurrency-below-load").endswith(
        "holds 2.50 requests of full length; the log shows up to 3 requests running, 61 waiting."
    )
