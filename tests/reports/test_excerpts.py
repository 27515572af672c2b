"""Excerpts are cut so that the words that matter stay in sight."""

from __future__ import annotations

import pytest

from kvaudit.reports.excerpts import clipped, excerpt_in

FILLER = "alpha_option=1, beta_option=2, gamma_option=3, delta_option=4, "


def test_a_short_excerpt_stays_whole() -> None:
    assert excerpt_in("seed=7", 6, "run.seed", 7) == "seed=7"


def test_the_prefix_of_the_logger_goes_first() -> None:
    line = "(EngineCore pid=861) INFO 10-06 08:03:58 [gpu_worker.py:531] Available KV cache memory: 30.41 GiB"
    assert excerpt_in(line, 50, "kv_cache.memory_gib", 30.41) == "…Available KV cache memory: 30.41 GiB"


@pytest.mark.parametrize(
    ("field", "value", "how", "shown"),
    [
        ("kv_cache.dtype", "fp8_e4m3", None, "kv_cache_dtype=fp8_e4m3"),
        ("model.dtype", "bfloat16", None, "dtype=torch.bfloat16"),
        ("kv_cache.tokens", 919232, None, "919,232 tokens"),
        ("scheduler.max_num_seqs", 4, None, "'max_num_seqs': 4"),
        ("kv_cache.bytes_per_token", 61680.5, "52.81 GiB × 2^30 ÷ 919,232 tokens", "52.81 GiB free"),
        ("scheduler.chunked_prefill", True, None, "chunked_prefill_enabled=True"),
    ],
)
def test_the_value_stays_in_sight(field: str, value: object, how: str | None, shown: str) -> None:
    line = f"{FILLER}eager=True, x=4, {FILLER}{shown}, {FILLER}"
    cut = excerpt_in(line, 60, field, value, how)
    assert shown in cut
    assert len(cut) <= 60


def test_text_without_the_value_starts_after_the_prefix() -> None:
    line = "INFO 10-06 08:03:58 [core.py:58] " + FILLER
    assert excerpt_in(line, 40, "kv_cache.dtype", "bfloat16").startswith("…alpha_option=1")


@pytest.mark.parametrize("room", [8, 20, 61])
@pytest.mark.parametrize("at", [0, 60, 123])
def test_a_clip_fills_its_room(room: int, at: int) -> None:
    assert len(clipped(FILLER * 2, room, at, 3)) == room
