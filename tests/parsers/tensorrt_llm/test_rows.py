"""Every row of the tables matches its own example, and hints are what the byte scan needs."""

from __future__ import annotations

import pytest

from kvaudit.parsers.tables import Match, Row, Table
from kvaudit.parsers.tensorrt_llm import rows


def first_match(row: Row, message: str) -> Match | Row | None:
    return next(Table((row,)).matches(message), None)


@pytest.mark.parametrize("row", rows.ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = first_match(row, row.example)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)


@pytest.mark.parametrize("row", rows.ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_hints_survive_wrappers(row: Row) -> None:
    assert row.hint.isascii()
    assert not set(b"'\"\\\r\n\x1b") & set(row.hint)


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        ("TensorRT-LLM version: 0.9.0", "engine.version", "0.9.0"),
        ("TensorRT LLM version: 1.3.0rc29", "engine.version", "1.3.0rc29"),
        ("Using LLM with AutoDeploy backend", "engine.core", "autodeploy"),
        ("Rank 0 uses 8.46 GB for model weights.", "model.weights_gib", 8.46),
        ("Setting quant_algo=W4A16_AWQ form HF quant config.", "model.weight_format", None),
        ("Setting quant_algo=NVFP4 from HF quant config.", "model.weight_format", "nvfp4"),
        ("MPI size: 4, MPI local size: 4, rank: 0", "parallel.gpus", 4),
        ("MPI size: 4, MPI local size: 4, rank: 0", "parallel.tensor", None),
        ("MPI size: 1, rank: 0", "parallel.tensor", 1),
        ("KV Cache Dtype:\tNone", "clue.kv_dtype_worker", "model"),
        ("KV Memory Percentage:   90.00%", "memory.static_fraction", 0.9),
        ("Scheduling Policy:      Guaranteed No Evict", "scheduler.policy", "GUARANTEED_NO_EVICT"),
        ('Validating KV Cache config against kv_cache_dtype="fp8"', "kv_cache.dtype", "fp8"),
        (
            "Peak memory during memory usage profiling (torch + non-torch): 7.60 GiB, available KV cache memory when calculating "
            "max tokens: 57.39 GiB, fraction is set 0.800000011920929, kv size is 32768, device total memory 79.18 GiB, , tmp kv",
            "memory.static_fraction",
            0.8,
        ),
    ],
)
def test_wordings_of_other_releases(message: str, field: str, value: object) -> None:
    found = [match.values.get(field) for match in rows.FACTS.matches(message) if isinstance(match, Match)]
    assert value in found


@pytest.mark.parametrize(
    "message",
    [
        "/home/alice/.cache/huggingface/hub/datasets--acme--prompts/snapshots/0123456789abcdef0123456789abcdef01234567",
        "/home/alice/.cache/huggingface/hub/models--acme--tiny/snapshots/main/config.json",
    ],
)
def test_what_is_no_checkpoint_of_the_hub_cache(message: str) -> None:
    assert not any(isinstance(match, Match) and "model.path" in match.values for match in rows.FACTS.matches(message))
