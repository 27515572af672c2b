from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Origin
from kvaudit.record.inspection.contradictions import contradictions
from kvaudit.record.inspection.model import EngineRow, QuantizationBlock
from kvaudit.record.inspection.scales import Scales


def block(file: str, kv: str, *, line: int = 7, speaks: bool = False, **more: Any) -> QuantizationBlock:
    held: dict[str, Any] = {"method": "modelopt", "weights": "nvfp4", "kv_key": None, "kv_raw": None, "nested": False, **more}
    return QuantizationBlock(file=f"m/{file}", kv=kv, speaks=speaks, origins=[Origin(file=f"m/{file}", line=line)], **held)


def row(engine: str, kv_dtype: str | None, since: str | None = None, until: str | None = None, **more: Any) -> EngineRow:
    held: dict[str, Any] = {"shown": True, "beats_flag": False, "row": "r", "source": "s", "file": "config.json", **more}
    return EngineRow(engine=engine, since=since, until=until, kv_dtype=kv_dtype, **held)


def scales(value: str) -> Scales:
    return Scales(value, "counted", 1, 1, 2, None, False, (), (Origin(file="m/index", pointer="/x"),))


def said(*arguments: Any) -> list[str]:
    return [one.message for one in contradictions(*arguments)]


def test_files_that_agree_give_no_sentence() -> None:
    blocks = [block("config.json", "fp8", speaks=True), block("hf_quant_config.json", "fp8")]
    assert said(blocks, [row("vllm", "fp8_e4m3"), row("sglang", "fp8")], None, "fp8") == []


def test_two_files_with_the_lines_and_the_engines() -> None:
    blocks = [block("config.json", "none", speaks=True), block("hf_quant_config.json", "fp8", line=9)]
    rows = [row("vllm", "bfloat16"), row("tensorrt_llm", "fp8_e4m3", file="hf_quant_config.json")]
    (found,) = contradictions(blocks, rows, None, None)
    assert found.message == (
        "config.json:7 says nothing about KV, hf_quant_config.json:9 states fp8 for KV. Under auto, vLLM reads config.json "
        "and keeps bfloat16 and TensorRT-LLM reads hf_quant_config.json and keeps fp8_e4m3."
    )
    assert [(origin.file, origin.line) for origin in found.origins] == [("m/config.json", 7), ("m/hf_quant_config.json", 9)]


def test_a_second_block_of_the_same_file_is_not_read() -> None:
    blocks = [block("config.json", "none", speaks=True), block("config.json", "fp8", line=40, nested=True, weights="fp8")]
    assert said(blocks, [], None, "none") == [
        "config.json:7 says nothing about KV, config.json:40 states fp8 for KV. Engines read the first."
    ]


def test_weights_that_two_files_name_differently() -> None:
    blocks = [block("config.json", "fp8", speaks=True), block("hf_quant_config.json", "fp8", weights="fp8")]
    assert said(blocks, [], None, "fp8") == ["config.json:7 names nvfp4 for the weights, hf_quant_config.json:7 fp8."]


def test_engines_that_read_the_same_file_differently() -> None:
    rows = [row("vllm", "bfloat16"), row("sglang", "fp8_e4m3"), row("tensorrt_llm", None)]
    assert said([], rows, None, "fp8") == [
        "Under auto the newest releases make different caches of this checkpoint: vLLM keeps bfloat16 and SGLang keeps fp8_e4m3."
    ]
    assert said([], [row("vllm", "fp8"), row("sglang", "fp8_e4m3")], None, "fp8") == []


def test_releases_that_change_hide_and_overrule() -> None:
    rows = [
        row("vllm", "bfloat16", None, "0.15"),
        row("vllm", "fp8", "0.15", "0.22", shown=False, beats_flag=True),
        row("vllm", "fp8", "0.22", shown=False),
    ]
    assert said([], rows, None, None) == [
        "vLLM keeps bfloat16 (before 0.15), fp8 (0.15 and newer); its log does not show the fp8 cache; 0.15 to before 0.22: "
        "even where --kv-cache-dtype asks for 16 bits."
    ]


def test_a_sixteen_bit_cache_that_the_log_does_not_show_is_no_surprise() -> None:
    assert said([], [row("tensorrt_llm", "bfloat16", shown=False)], None, "none") == []


@pytest.mark.parametrize(
    ("scheme", "value", "words"),
    [
        ("fp8", "none", "brings no scales"),
        ("fp8", "default_1.0", "every scale it brings equals 1.0"),
        ("fp8", "mixed", "its scales are incomplete: counted"),
        ("none", "checkpoint", "brings KV scales and states no KV scheme"),
        ("static-string", "checkpoint", "brings KV scales and states static-string for KV"),
    ],
)
def test_scheme_and_scales(scheme: str, value: str, words: str) -> None:
    (message,) = said([], [], scales(value), scheme)
    assert words in message


@pytest.mark.parametrize(("scheme", "value"), [("fp8", "checkpoint"), ("none", "none"), (None, "checkpoint")])
def test_scheme_and_scales_that_fit(scheme: str | None, value: str) -> None:
    assert said([], [], scales(value), scheme) == []
