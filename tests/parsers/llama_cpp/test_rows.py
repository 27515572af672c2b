"""Every row of the tables matches its own example, and hints are what the byte scan needs."""

from __future__ import annotations

import pytest

from kvaudit.parsers.llama_cpp import rows
from kvaudit.parsers.llama_cpp.start import find
from kvaudit.parsers.tables import Match, Row, Table

ALL_ROWS = tuple(row for table in rows.TABLES for row in table.rows)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_a_row_matches_its_own_example(row: Row) -> None:
    found = next(Table((row,)).matches(row.example), None)
    assert isinstance(found, Match)
    assert bool(found.values) == bool(row.feeds)


@pytest.mark.parametrize("row", ALL_ROWS, ids=lambda row: f"{row.name}:{row.hint.decode()}")
def test_hints_survive_wrappers(row: Row) -> None:
    assert row.hint.isascii()
    assert not set(b"'\"\\\r\n\x1b") & set(row.hint)


@pytest.mark.parametrize(
    ("message", "name", "groups"),
    [
        (
            "llama_kv_cache_unified: size = 16.00 MiB (  4096 cells, 4 layers,  2 seqs), K (q8_0): 5.44 MiB, V (f16): 10.56 MiB",
            "kv-size",
            {"cells": "4096", "layers": "4", "k": "q8_0", "v": "f16"},
        ),
        (
            "llama_kv_cache_unified: size = 16.00 MiB (  4096 cells, 4 layers,  2/ 1 seqs), K (f16): 8.00 MiB, V (f16): 8.00 MiB",
            "kv-size",
            {"cells": "4096", "streams": "1"},
        ),
        (
            "llama_kv_cache: size =   35.00 MiB (  8192 cells,   5 layers), K (turbo3):   17.50 MiB, V (turbo3):   17.50 MiB",
            "kv-size",
            {"cells": "8192", "k": "turbo3"},
        ),
        ("0.00.030.102 I init:    Vulkan0 KV buffer size =     9.00 MiB", "kv-buffer", {"device": "Vulkan0", "mib": "9.00"}),
        (
            "llama_kv_cache_init: AMD Radeon RX 7900 XTX (RADV NAVI31) KV buffer size =  2244.00 MiB",
            "kv-buffer",
            {"device": "AMD Radeon RX 7900 XTX (RADV NAVI31)"},
        ),
        (
            "llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB",
            "kv-self-size",
            {},
        ),
        ("llama_init_from_model: n_ctx_pre_seq (32768) > n_ctx_train (4096) -- possible", "length-against-training", {}),
        ("resolve_fused_ops: Flash Attention not supported, set to disabled", "flash-resolved", {"word": "disabled"}),
        ("llm_load_tensors:      Metal buffer size =  3577.57 MiB", "model-buffer", {"device": "Metal"}),
        ("ggml_cuda_init: found 2 ROCm devices (Total VRAM: 28781 MiB):", "devices-found", {"kind": "ROCm"}),
        ("srv          init: initializing slots, n_slots = 2", "slots", {"slots": "2"}),
        ("new slot | n_ctx_slot=2048 slot_id=0", "slot", {"length": "2048"}),
    ],
)
def test_older_and_odder_wordings(message: str, name: str, groups: dict[str, str]) -> None:
    (match,) = [match for matches in find(message).lists for match in matches if match.row.name == name]
    assert {key: match.groups.get(key) for key in groups} == groups


@pytest.mark.parametrize(
    "message",
    [
        "resolve_fused_ops: Lightning Indexer enabled",
        "llama_memory_recurrent:        CPU RS buffer size =     0.02 MiB",
        "llama_context:        CPU compute buffer size =     8.51 MiB",
        "srv          load:  - looking for better prompt, base f_keep = -1.000, f_sim = 0.000",
        "common_params_fit_impl:   - CUDA0 (NVIDIA L4): 48 layers,  14641 MiB used,   1172 MiB free",
        "main: HTTP server is listening, hostname: 127.0.0.1, port: 8080, http threads: 11",
        "main: router server is listening on http://127.0.0.1:8080",
    ],
)
def test_what_says_nothing_about_the_served_cache(message: str) -> None:
    assert find(message).names == set()
