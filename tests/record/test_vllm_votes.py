"""What vLLM's evidence proves about the KV element type, release by release. Expected values follow the released sources."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.record.derived import infer_everything
from kvaudit.record.model import FieldState
from tests.record.builders import said, statement, table

CT = "compressed-tensors"
MODELOPT = {"method": "modelopt", "producer": "modelopt", "quant_algo": "NVFP4"}
STRING = statement(**MODELOPT, file="hf_quant_config.json", kv_num_bits=None, kv_type=None, kv_dynamic=None)
STATIC = statement(**MODELOPT)
DYNAMIC_MISSING = statement(**MODELOPT, kv_dynamic=None)
NVFP4 = statement(**MODELOPT, kv="nvfp4", kv_num_bits=4)
NO_BLOCK = statement(method="", has_block=False, kv="none", kv_num_bits=None, kv_type=None, kv_dynamic=None)
NO_KV = statement(kv="none", kv_num_bits=None, kv_type=None, kv_dynamic=None)


def settled(
    version: str | None = "0.25.1",
    quantization: str | None = CT,
    line: str | None = "auto",
    stated: Any = None,
    **more: Any,
) -> FieldState:
    """The state of kv_cache.dtype on CUDA for a bfloat16 Llama, unless changed by `more` (dots written as two underscores)."""
    held: dict[str, Any] = {
        "engine.name": "vllm",
        "engine.platform": "cuda",
        "model.dtype": "bfloat16",
        "model.architecture": "LlamaForCausalLM",
        "engine.version": version,
        "model.quantization": quantization,
        "clue.kv_dtype_engine_line": line,
        "clue.checkpoint_statement": stated,
    }
    held |= {name.replace("__", "."): value for name, value in more.items()}
    facts = {name: value for name, value in held.items() if value is not None}
    filled = table(facts, *([said("kv_cache.dtype", line, "requested")] if line else []))
    infer_everything(filled)
    return filled.state("kv_cache.dtype")


UNKNOWN = None

COMPRESSED_FP8 = [
    # engine line auto, compressed-tensors FP8 scheme at hand: 16 bits until 0.14, FP8 from 0.15 on
    ("0.12.0", "auto", "bfloat16"),
    ("0.14.1", "auto", "bfloat16"),
    ("0.14.0rc1.dev2+g7d9", "auto", UNKNOWN),
    ("0.15.0rc1", "auto", UNKNOWN),
    ("0.15.0", "auto", "fp8_e4m3"),
    ("0.15.1.dev3+gabc", "auto", "fp8_e4m3"),
    ("0.18.1", "auto", "fp8_e4m3"),
    ("0.21.0", "auto", "fp8_e4m3"),
    ("0.22.0rc2", "auto", "fp8_e4m3"),
    ("0.25.1", "auto", "fp8_e4m3"),
    ("0.33.0", "auto", "fp8_e4m3"),
    ("0.13.0+nv26.01", "auto", "bfloat16"),
    ("0.1.dev1+g9759e3b06", "auto", UNKNOWN),
    (None, "auto", UNKNOWN),
    # an explicit 16-bit flag: beaten by the scheme from 0.15 to 0.21
    ("0.14.1", "bfloat16", "bfloat16"),
    ("0.15.0", "bfloat16", "fp8_e4m3"),
    ("0.21.1", "bfloat16", "fp8_e4m3"),
    ("0.22.0", "bfloat16", "bfloat16"),
    ("0.33.0", "float16", "float16"),
    ("0.22.0rc1", "bfloat16", UNKNOWN),
    (None, "bfloat16", UNKNOWN),
    # an explicit FP8 flag is what the scheme says too; another variant is beaten like any flag
    ("0.12.0", "fp8", "fp8_e4m3"),
    ("0.18.1", "fp8", "fp8_e4m3"),
    ("0.25.1", "fp8", "fp8_e4m3"),
    ("0.25.1", "fp8_e5m2", "fp8_e5m2"),
    ("0.18.1", "fp8_e5m2", "fp8_e4m3"),
]


@pytest.mark.parametrize(("version", "line", "value"), COMPRESSED_FP8)
def test_compressed_tensors_with_an_fp8_scheme(version: str | None, line: str, value: str | None) -> None:
    state = settled(version, CT, line, statement())
    assert (state.state, state.value) == (("known", value) if value else ("unknown", None))


@pytest.mark.parametrize(
    ("version", "line", "value"),
    [
        ("0.12.0", "auto", "bfloat16"),
        ("0.14.0rc1.dev2+g7d9", "auto", UNKNOWN),
        ("0.15.0", "auto", UNKNOWN),
        ("0.21.0", "auto", UNKNOWN),
        ("0.25.1", "auto", UNKNOWN),
        ("0.14.1", "bfloat16", "bfloat16"),
        ("0.18.1", "bfloat16", UNKNOWN),
        ("0.18.1", "fp8_e5m2", UNKNOWN),
        ("0.25.1", "bfloat16", "bfloat16"),
        ("0.18.1", "fp8", "fp8_e4m3"),
        ("0.25.1", None, UNKNOWN),
    ],
)
def test_compressed_tensors_without_the_checkpoint(version: str, line: str | None, value: str | None) -> None:
    assert settled(version, CT, line).value == value


@pytest.mark.parametrize("version", ["0.12.0", "0.14.0rc1.dev2+g7d9", "0.15.0", "0.19.2", "0.22.0", "0.33.0"])
def test_a_compressed_tensors_block_without_a_scheme_leaves_the_model_dtype(version: str) -> None:
    assert settled(version, CT, "auto", NO_KV).value == "bfloat16"
    assert settled(version, CT, "bfloat16", NO_KV).value == "bfloat16"


@pytest.mark.parametrize(
    ("changes", "version"),
    [({"nested": True}, "0.25.1"), ({"kv": "int8", "kv_type": "int"}, "0.25.1"), ({"kv": "other:float4"}, "0.25.1")],
)
def test_schemes_that_no_row_describes_stay_unknown(changes: dict[str, Any], version: str) -> None:
    assert settled(version, CT, "auto", statement(**changes)).state == "unknown"


@pytest.mark.parametrize(
    ("version", "line", "value"),
    [
        ("0.14.0", "auto", "bfloat16"),
        ("0.15.0", "bfloat16", "fp8_e4m3"),
        ("0.21.0", "auto", "fp8_e4m3"),
        ("0.25.1", "bfloat16", "bfloat16"),
        ("0.33.0", "auto", "fp8_e4m3"),
    ],
)
def test_a_scheme_inside_text_config_decides_like_one_at_the_top(version: str, line: str, value: str) -> None:
    assert settled(version, CT, line, statement(nested=True, nested_in="text_config")).value == value
    assert settled(version, CT, line, statement()).value == value


def test_latent_attention_ignores_the_scheme() -> None:
    assert settled("0.25.1", CT, "auto", statement(mla=True)).value == "bfloat16"


@pytest.mark.parametrize(
    ("version", "stated", "value"),
    [
        ("0.13.0", STRING, "bfloat16"),
        ("0.14.0", STRING, "fp8_e4m3"),
        ("0.14.0rc1.dev2+g7d9", STRING, UNKNOWN),
        ("0.33.0", STRING, "fp8_e4m3"),
        ("0.13.0", STATIC, "bfloat16"),
        ("0.14.0", STATIC, "fp8_e4m3"),
        ("0.25.1", STATIC, "fp8_e4m3"),
        ("0.25.1", DYNAMIC_MISSING, "bfloat16"),
        ("0.25.1", {**STATIC, "kv_dynamic": True}, "bfloat16"),
        ("0.19.2", NVFP4, "bfloat16"),
        ("0.20.0", NVFP4, "nvfp4"),
        ("0.20.0rc1", NVFP4, UNKNOWN),
        ("0.25.1", {**STRING, "producer": "", "method": ""}, "bfloat16"),
        ("0.25.1", {**STRING, "quant_algo": None}, "bfloat16"),
        ("0.25.1", {**STATIC, "kv": "int8"}, UNKNOWN),
    ],
)
def test_modelopt_rows_where_no_log_line_speaks(version: str, stated: dict[str, Any], value: str | None) -> None:
    assert settled(version, "modelopt", None, stated).value == value


@pytest.mark.parametrize("version", ["0.12.0", "0.14.0", "0.14.0rc1.dev2+g7d9", "0.25.1"])
def test_modelopt_that_stayed_auto_keeps_the_model_dtype(version: str) -> None:
    """From 0.14.0 on a ModelOpt statement shows in the engine line, before it has no effect."""
    assert settled(version, "modelopt", "auto", STRING).value == "bfloat16"


def test_modelopt_shows_in_the_engine_line() -> None:
    assert settled("0.25.1", "modelopt", "fp8_e4m3", STRING).value == "fp8_e4m3"


@pytest.mark.parametrize("method", ["none", "awq", "gptq_marlin", "fp8", "mxfp4", "quark", "bitsandbytes"])
@pytest.mark.parametrize("version", ["0.9.2", "0.15.0", "0.21.0rc1", "0.33.0", "0.20.2.dev0+gabc"])
def test_auto_with_another_method_is_the_model_dtype(method: str, version: str) -> None:
    state = settled(version, method, "auto", model__dtype="float16")
    assert (state.value, state.stage) == ("float16", "inferred")
    assert "auto" in str(state.facts[state.won[0]].how)


@pytest.mark.parametrize("version", [None, "unknown", "0.1.dev1+g9759e3b06"])
def test_auto_proves_nothing_without_a_version(version: str | None) -> None:
    assert settled(version, "none", "auto").state == "unknown"


def test_auto_proves_nothing_without_the_quantization_or_the_model_dtype() -> None:
    assert settled("0.25.1", None, "auto").state == "unknown"
    assert settled("0.14.0", None, "auto").value == "bfloat16"
    assert settled("0.25.1", "none", "auto", model__dtype="auto").state == "unknown"


@pytest.mark.parametrize(
    "architecture", ["DeepseekV32ForCausalLM", "DeepseekV4ForCausalLM", "GlmMoeDsaForCausalLM", "Glm5NextForCausalLM"]
)
def test_models_that_choose_their_own_layout_need_a_worker(architecture: str) -> None:
    for stated in (None, NO_BLOCK, statement()):
        for quantization in ("none", "fp8", CT):
            assert settled("0.25.1", quantization, "auto", stated, model__architecture=architecture).state == "unknown"
    backend = {"clue.flash_attention_version": 2, "clue.attention_candidates": ["FLEX_ATTENTION"]}
    assert settled("0.25.1", "none", "auto", None, model__architecture=architecture, **backend).state == "unknown"
    worker = {"clue.kv_dtype_worker": "fp8_ds_mla"}
    assert settled("0.25.1", "none", "auto", None, model__architecture=architecture, **worker).value == "fp8_ds_mla"


@pytest.mark.parametrize(
    ("version", "stated", "value"),
    [
        ("0.25.1", NO_BLOCK, "bfloat16"),
        ("0.25.1", statement(method="fp8", kv="static-string"), "bfloat16"),
        ("0.25.1", statement(method="quark"), "bfloat16"),
        ("0.25.1", statement(method="some-new-method"), UNKNOWN),
    ],
)
def test_checkpoints_of_other_methods(version: str, stated: dict[str, Any], value: str | None) -> None:
    assert settled(version, None, None, stated).value == value


def test_a_checkpoint_of_another_architecture_proves_nothing() -> None:
    other = {"clue.checkpoint_config": {"architecture": "Qwen3ForCausalLM"}}
    same = {"clue.checkpoint_config": {"architecture": "llamaforcausallm"}}
    assert settled("0.25.1", CT, "auto", statement(), **other).state == "unknown"
    assert settled("0.25.1", CT, "auto", statement(), **same).value == "fp8_e4m3"


def test_the_table_row_is_named() -> None:
    state = settled("0.18.1", CT, "auto", statement())
    assert state.facts[state.won[0]].how == "checkpoint statement × vLLM 0.18.1 (row compressed-tensors-float8)"


@pytest.mark.parametrize(
    ("platform", "value"), [("cuda", "fp8_e4m3"), ("rocm", "fp8_e4m3"), ("cpu", "fp8"), ("xpu", "fp8"), (None, "fp8")]
)
def test_a_bare_fp8_is_e4m3_on_cuda_and_rocm_only(platform: str | None, value: str) -> None:
    assert settled("0.25.1", "none", "fp8", engine__platform=platform).value == value
    assert settled("0.25.1", CT, "auto", statement(), engine__platform=platform).value == value


def test_a_worker_beats_the_engine_line_and_the_loser_stays() -> None:
    state = settled("0.25.1", CT, "auto", NO_KV, **{"clue.kv_dtype_worker": "torch.float8_e4m3fn"})
    assert (state.value, state.stage) == ("fp8_e4m3", "resolved")
    assert [fact.value for fact in state.facts] == ["auto", "fp8_e4m3", "bfloat16"]


def test_two_workers_that_disagree_are_a_conflict() -> None:
    clues = [said("clue.kv_dtype_worker", "fp8_e4m3"), said("clue.kv_dtype_worker", "bfloat16")]
    assert settled("0.25.1", "none", "auto", **{"clue.kv_dtype_worker": clues}).state == "conflict"


@pytest.mark.parametrize("word", ["auto", "None"])
def test_a_worker_that_says_auto_says_nothing(word: str) -> None:
    assert settled("0.25.1", CT, "auto", **{"clue.kv_dtype_worker": word}).state == "unknown"


@pytest.mark.parametrize(
    ("version", "line", "notice", "value"),
    [
        ("0.25.1", "fp8", "fp8", "fp8_e4m3"),
        ("0.20.0", "auto", "fp8_e4m3", "fp8_e4m3"),
        ("0.20.0", None, "fp8", "fp8_e4m3"),
        ("0.9.2", None, "fp8", UNKNOWN),  # until 0.11.2 the notice came for every value but auto
        ("0.9.2", "bfloat16", "fp8", "bfloat16"),
        ("0.25.1", "auto", "bfloat16", UNKNOWN),
    ],
)
def test_the_notice_of_a_quantized_cache(version: str, line: str | None, notice: str, value: str | None) -> None:
    assert settled(version, CT, line, **{"clue.kv_dtype_notice": notice}).value == value


@pytest.mark.parametrize(
    ("version", "clue", "value"),
    [
        ("0.25.1", {"clue.flash_attention_version": 2}, "bfloat16"),
        ("0.25.1", {"clue.flash_attention_version": 3}, UNKNOWN),
        ("0.25.1", {"clue.attention_candidates": ["FLASHINFER", "FLEX_ATTENTION"]}, "bfloat16"),
        ("0.25.1", {"clue.attention_candidates": ["FLASHINFER", "TRITON_ATTN"]}, UNKNOWN),
        ("0.25.1rc1", {"clue.flash_attention_version": 2}, UNKNOWN),
        ("0.25.1+gabc", {"clue.flash_attention_version": 2}, UNKNOWN),
        ("0.25.2.dev3", {"clue.attention_candidates": ["FLEX_ATTENTION"]}, UNKNOWN),
        (None, {"clue.flash_attention_version": 2}, UNKNOWN),
    ],
)
def test_backends_that_hold_no_fp8(version: str | None, clue: dict[str, Any], value: str | None) -> None:
    assert settled(version, CT, "auto", **clue).value == value


def test_a_backend_without_fp8_proves_no_type_of_a_model_whose_dtype_is_open() -> None:
    assert settled("0.25.1", CT, "auto", model__dtype="auto", **{"clue.flash_attention_version": 2}).state == "unknown"


def test_a_backend_beats_the_checkpoint_at_hand() -> None:
    """A checkpoint may have changed since; the backend is of this run."""
    state = settled("0.25.1", CT, "auto", statement(), **{"clue.flash_attention_version": 2})
    assert state.value == "bfloat16"
    assert [fact.value for fact in state.facts] == ["auto", "bfloat16", "fp8_e4m3"]


def test_the_arguments_count_where_no_engine_line_was_printed() -> None:
    asked = [said("kv_cache.dtype", "fp8", "requested")]
    assert settled("0.25.1", None, None, statement(), **{"kv_cache.dtype": asked}).state == "unknown"
    beaten = [said("kv_cache.dtype", "bfloat16", "requested")]
    assert settled("0.18.1", CT, None, statement(), **{"kv_cache.dtype": beaten}).value == "fp8_e4m3"
    honoured = settled("0.25.1", CT, None, statement(), **{"kv_cache.dtype": beaten})
    assert honoured.state == "unknown"


def test_another_engine_gets_no_votes_of_vllm() -> None:
    state = settled("0.25.1", "none", "auto", NO_BLOCK, engine__name="unheard_of")
    assert state.state == "unknown"
