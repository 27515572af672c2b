"""The arguments line: both syntaxes, stages per key, what a cut line still says, what `auto` and None prove."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.sglang import arguments as parsing
from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor
from tests.parsers.engine_logs import facts_of, values
from tests.parsers.sglang.logs import DEFAULTS, arguments, arguments_as_dict, only_start, read_log, served, stamped


@pytest.mark.parametrize("line", [arguments(tp_size=2), arguments_as_dict(tp_size=2)], ids=["dataclass", "dict"])
def test_both_syntaxes_say_the_same(line: str) -> None:
    start = only_start(line)
    assert values(start, "model.path", "requested") == ["acme/tiny-llama"]
    assert values(start, "parallel.tensor", "resolved") == [2]
    assert values(start, "parallel.gpus", "inferred") == [2]
    assert values(start, "kv_cache.dtype", "requested") == ["auto"]
    assert values(start, "kv_cache.block_size", "resolved") == [1]
    assert values(start, "memory.static_fraction", "resolved") == [0.8]
    assert values(start, "kv_cache.prefix_caching", "resolved") == [True]
    assert values(start, "scheduler.async_scheduling", "resolved") == [True]
    assert values(start, "kv_cache.offload", "resolved") == ["none"]
    assert values(start, "speculative.method", "resolved") == ["none"]
    held = {**DEFAULTS, "tp_size": 2}
    assert values(start, "run.args") == [{key: value for key, value in held.items() if value not in (None, False)}]
    assert values(start, "clue.raw_configuration") == [{"server_args": held}]


def test_only_a_value_that_no_release_leaves_empty_is_an_empty_argument() -> None:
    (held,) = values(only_start(arguments(torchao_config="", served_model_name="", fastapi_root_path="")), "run.args")
    assert {key: value for key, value in held.items() if value == ""} == {"served_model_name": ""}


def test_the_origin_stands_at_the_key_and_hides_the_secret() -> None:
    (fact,) = facts_of(only_start(arguments()), "scheduler.policy")
    assert fact.origins[0].line == 1
    assert "schedule_policy='fcfs'" in fact.origins[0].excerpt
    assert all("sk-fixture" not in origin.excerpt for one in only_start(arguments()).facts for origin in one.origins)


def test_a_named_kv_dtype_is_a_request_and_none_is_no_quantization() -> None:
    start = only_start(arguments(kv_cache_dtype="fp8_e5m2"))
    assert values(start, "kv_cache.dtype") == ["fp8_e5m2"]
    assert values(start, "clue.kv_dtype_engine_line") == ["fp8_e5m2"]
    assert values(start, "model.quantization") == []
    assert values(only_start(arguments(quantization="fp8")), "model.quantization", "requested") == ["fp8"]


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"chunked_prefill_size": -1}, "scheduler.max_num_batched_tokens", [16384]),
        ({"chunked_prefill_size": -1}, "scheduler.chunked_prefill", [False]),
        ({"chunked_prefill_size": None}, "scheduler.max_num_batched_tokens", []),
        ({"max_running_requests": 48}, "scheduler.max_num_seqs", [48]),
        ({"max_running_requests": None}, "scheduler.max_num_seqs", []),
        ({"page_size": None}, "kv_cache.block_size", []),
        ({"dtype": "half"}, "model.dtype", ["float16"]),
        ({"disable_radix_cache": True}, "kv_cache.prefix_caching", [False]),
        ({"disable_overlap_schedule": True}, "scheduler.async_scheduling", [False]),
        ({"enable_hierarchical_cache": True}, "kv_cache.offload", ["HiCache"]),
        ({"enable_lmcache": True, "enable_hierarchical_cache": True}, "kv_cache.offload", ["LMCache"]),
        ({"cpu_offload_gb": 24}, "offload.cpu_weights_gib", [24]),
        ({"disaggregation_mode": "decode"}, "kv_transfer.role", ["decode"]),
        ({"disaggregation_mode": "decode"}, "kv_transfer.connector", ["mooncake"]),
        ({}, "kv_transfer.role", ["none"]),
        ({"speculative_algorithm": "EAGLE", "speculative_num_draft_tokens": 4}, "speculative.tokens", [4]),
        ({"tp_size": 8, "dp_size": 4, "enable_dp_attention": True}, "parallel.gpus", [8]),
        ({"tp_size": 2, "dp_size": 4, "enable_dp_attention": False}, "parallel.gpus", [8]),
        ({"dp_size": 1, "attn_dp_size": 4, "tp_size": 8}, "parallel.data", [4]),
        ({"attention_backend": None}, "attention.backend", []),
        (
            {"attention_backend": None, "prefill_attention_backend": "fa3", "decode_attention_backend": "flashmla"},
            "attention.backend",
            ["prefill=fa3,decode=flashmla"],
        ),
        ({"attention_backend": "triton", "device": "cuda"}, "engine.platform", []),
        ({"attention_backend": "fa3"}, "engine.platform", ["cuda"]),
        ({"device": "npu", "attention_backend": "ascend"}, "engine.platform", ["npu"]),
        ({"sampling_defaults": "openai"}, "model.generation_config", ["none"]),
    ],
)
def test_values_and_what_leaves_a_field_open(changes: dict[str, Any], field: str, expected: list[Any]) -> None:
    assert values(only_start(arguments(**changes)), field) == expected


def test_graphs_per_phase_of_newer_releases() -> None:
    decode = "PhaseConfig(backend='disabled', max_bs=None, bs=None)"
    body = arguments().replace("cuda_graph_max_bs=8", f"cuda_graph_config=CudaGraphConfig(decode={decode}, prefill={decode})")
    assert values(only_start(body), "graphs.enforce_eager", "resolved") == [True]
    as_dict = arguments_as_dict(cuda_graph_config={"decode": {"backend": "full", "max_bs": 64}, "prefill": {}})
    start = only_start(as_dict)
    assert values(start, "graphs.enforce_eager", "resolved") == [False]
    assert values(start, "graphs.capture_max", "resolved") == [64]


def test_a_cut_line_keeps_what_stands_before_the_cut_and_proves_no_absence() -> None:
    line = arguments()
    start = only_start(line[: line.index("tp_size")])
    assert values(start, "model.path") == ["acme/tiny-llama"]
    assert values(start, "kv_cache.offload") == []
    assert values(start, "parallel.tensor") == []


def test_pieces_of_a_wrapped_line_are_joined() -> None:
    line = arguments(tp_size=2)
    cut = line.index("page_size")
    reading = read_log(line[:cut], line[cut:], *served()[1:])
    assert len(reading.starts) == 1
    assert values(reading.starts[0], "parallel.tensor") == [2]
    assert reading.notes == ["line 1 was read together with the 1 lines that continue it"]


def test_lines_of_16_kib_that_docker_cut_are_joined(tmp_path: Path) -> None:
    line = arguments(tp_size=2)
    cut = line.index("page_size")
    stream = {"stream": "stdout", "time": "2026-03-14T09:26:53.922414Z"}
    logged = [line[:cut], line[cut:] + "\n", stamped("The server is fired up and ready to roll!") + "\n"]
    log = tmp_path / "container-json.log"
    log.write_text("".join(json.dumps({"log": text, **stream}) + "\n" for text in logged))
    assert read_arm([str(log)], Redactor()).value("parallel.tensor") == 2


def test_another_record_does_not_continue_a_cut_line() -> None:
    line = arguments(tp_size=2)
    start = only_start(line[: line.index("tp_size")], stamped("tp_size=4)"))
    assert values(start, "parallel.tensor") == []


def test_a_release_without_the_arguments_has_neither_speculation_nor_transfer() -> None:
    start = only_start(stamped("server_args=ServerArgs(model_path='acme/tiny-llama', tp_size=1, dp_size=1)"))
    assert values(start, "speculative.method", "inferred") == ["none"]
    assert values(start, "kv_transfer.role", "inferred") == ["none"]
    assert values(start, "kv_cache.offload") == ["none"]
    assert values(start, "parallel.gpus") == [1]


@pytest.mark.parametrize("body", ["ServerArgs(", "{", "{'a': ", "ServerArgs(a=" + "(" * 500, "{" + "{" * 500, "ServerArgs(=,=)"])
def test_broken_dumps_do_not_raise(body: str) -> None:
    assert not parsing.parse(body).whole


def test_an_element_type_that_the_engine_chose_is_no_request() -> None:
    start = only_start(
        stamped("Setting KV cache dtype to fp8_e4m3 for DeepSeek DSA on SM10 device."),
        arguments(kv_cache_dtype="fp8_e4m3", attention_backend="dsa"),
    )
    assert values(start, "kv_cache.dtype", "requested") == ["auto"]
    assert values(start, "clue.kv_dtype_notice") == ["fp8_e4m3"]
    assert values(start, "clue.kv_dtype_engine_line") == []


def test_a_flag_that_fell_back_is_auto_for_the_worker() -> None:
    start = only_start(
        arguments(kv_cache_dtype="fp4_e2m1"),
        stamped("--kv-cache-dtype falls back to 'auto' because this torch version does not support torch.float4_e2m1fn_x2"),
    )
    assert values(start, "kv_cache.dtype", "requested") == ["nvfp4"]
    assert values(start, "clue.kv_dtype_engine_line") == ["auto"]
