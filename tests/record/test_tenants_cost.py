"""What a stranger cost the KV pool, and on which GPUs the run sits."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.tenants.classes import classify_tenants
from tests.record.builders import table

OWN = {"gpu": 0, "pid": 48_211, "name": "VLLM::EngineCore", "type": "C", "mib": 24_000, "class": "unknown"}
STRANGER = {"gpu": 0, "pid": 700, "name": "python3", "type": "C", "mib": 49_152, "class": "unknown"}  # 48 GiB
PIDS = {"EngineCore": [48_211]}
# 79.3 × 0.9 = 71.37 GiB; less 15 of weights, 48 of the stranger and 2.4 of everything else leaves 5.97 for the pool.
SHARE_OF_CARD = {
    "memory.total_gib": 79.3,
    "memory.utilization": 0.9,
    "model.weights_gib": 15.0,
    "kv_cache.memory_gib": 5.97,
    "kv_cache.bytes_per_token": 131_072.0,
    "parallel.gpus": 1,
}
SHARE_OF_FREE = {
    "memory.static_fraction": 0.8,
    "memory.total_gib": 79.3,
    "memory.free_at_start_gib": 30.7,
    "kv_cache.memory_gib": 10.0,
    "kv_cache.bytes_per_token": 131_072.0,
    "parallel.gpus": 1,
}


def _stranger(figures: dict[str, Any], engine: str = "vllm", **changes: Any) -> dict[str, Any]:
    filled = table({"gpu.tenants": [OWN, {**STRANGER, **changes}], "engine.name": engine, "clue.process_ids": PIDS, **figures})
    classify_tenants(filled)
    found = filled.value("gpu.tenants")[1]
    assert found["class"] == "foreign"
    return dict(found)


def test_the_hole_in_the_pool_is_as_large_as_the_stranger() -> None:
    found = _stranger(SHARE_OF_CARD)
    assert found["cost_gib"] == 48.0
    assert found["cost_tokens"] == 48 * 2**30 // 131_072  # 393,216


def test_a_pool_that_is_whole_lost_nothing() -> None:
    found = _stranger({**SHARE_OF_CARD, "kv_cache.memory_gib": 53.9})
    assert found["cost_gib"] == 0.0
    assert "cost_tokens" not in found


def test_a_hole_of_another_size_says_nothing() -> None:
    assert "cost_gib" not in _stranger({**SHARE_OF_CARD, "kv_cache.memory_gib": 30.0})


@pytest.mark.parametrize("missing", ["memory.total_gib", "memory.utilization", "model.weights_gib", "kv_cache.memory_gib"])
def test_without_a_figure_nothing_is_said(missing: str) -> None:
    assert "cost_gib" not in _stranger({name: value for name, value in SHARE_OF_CARD.items() if name != missing})


def test_a_share_of_the_free_memory_is_lost_where_it_was_taken_at_the_start() -> None:
    found = _stranger(SHARE_OF_FREE, "sglang")
    assert found["cost_gib"] == 38.4  # 48 × 0.8
    assert _stranger({**SHARE_OF_FREE, "memory.free_at_start_gib": 78.7}, "sglang")["cost_gib"] == 0.0
    assert "cost_gib" not in _stranger({**SHARE_OF_FREE, "memory.free_at_start_gib": 55.0}, "sglang")


def test_two_strangers_share_what_they_cost_by_what_they_hold() -> None:
    tenants = [OWN, {**STRANGER, "mib": 32_768}, {**STRANGER, "pid": 701, "mib": 16_384}]
    filled = table({"gpu.tenants": tenants, "engine.name": "vllm", "clue.process_ids": PIDS, **SHARE_OF_CARD})
    classify_tenants(filled)
    assert [one.get("cost_gib") for one in filled.value("gpu.tenants")] == [None, 32.0, 16.0]


def test_a_stranger_without_its_memory_costs_nothing_known() -> None:
    assert "cost_gib" not in _stranger(SHARE_OF_CARD, mib=None)


def _places(devices: list[str], **held: Any) -> list[Any]:
    visible = {"variable": "CUDA_VISIBLE_DEVICES", "devices": devices, "service": None}
    tenants = [{**STRANGER, "gpu": gpu} for gpu in range(3)]
    filled = table({"gpu.tenants": tenants, "engine.name": "vllm", "clue.visible_devices": visible, **held})
    classify_tenants(filled)
    return [one.get("on_run_gpu") for one in filled.value("gpu.tenants")]


ALIKE = {"gpu.names": ["Orion X100"] * 3}
UUIDS = {"gpu.uuids": ["GPU-1aaa0000", "GPU-2bbb0000", "GPU-3ccc0000"]}


def test_an_index_names_a_card_only_where_all_are_alike() -> None:
    assert _places(["1"], **ALIKE) == [False, True, False]
    assert _places(["1"], **{"gpu.names": ["Orion X100", "Orion X50", "Orion X100"]}) == [None, None, None]
    assert _places(["1"]) == [None, None, None]


def test_a_uuid_names_its_card() -> None:
    assert _places(["GPU-3ccc"], **UUIDS) == [False, False, True]
    assert _places(["GPU-9ddd"], **UUIDS) == [None, None, None]
    assert _places(["MIG-1"], **UUIDS) == [None, None, None]
