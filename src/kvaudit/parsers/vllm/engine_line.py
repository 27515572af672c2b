"""The engine line (`Initializing a V1 LLM engine (v0.24.0) with config: k=v, ...`): keys to fields, stage per key and value.

Room: one parsed line in, facts out. Keys of 0.2.7 to 0.33.0; a value that was typed, or that leaves the decision to somebody
else, is requested; any other value is the engine's own decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.fields import FIELDS, Stage, spelled
from kvaudit.parsers import repr_split
from kvaudit.parsers.vllm.arguments import as_object

FIELD_OF = {
    "model": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "quantization": "model.quantization",
    "max_seq_len": "model.max_len",
    "trust_remote_code": "model.trust_remote_code",
    "kv_cache_dtype": "kv_cache.dtype",
    "enable_prefix_caching": "kv_cache.prefix_caching",
    "chunked_prefill_enabled": "scheduler.chunked_prefill",
    "enable_chunked_prefill": "scheduler.chunked_prefill",
    "enforce_eager": "graphs.enforce_eager",
    "tensor_parallel_size": "parallel.tensor",
    "pipeline_parallel_size": "parallel.pipeline",
    "data_parallel_size": "parallel.data",
    "decode_context_parallel_size": "parallel.context",
    "seed": "run.seed",
}
_PLATFORMS = frozenset({"cpu", "tpu", "xpu", "npu", "hpu", "neuron"})
_GRAPH_MODES = {0: "NONE", 1: "PIECEWISE", 2: "FULL", "[2, 1]": "FULL_AND_PIECEWISE", "[2, 0]": "FULL_DECODE_ONLY"}
"""cudagraph_mode of 0.11.0 and older is printed as the enum's number or tuple."""


@dataclass(frozen=True, slots=True)
class EngineLine:
    """A parsed engine line: values by key, and where each key stands in the body."""

    core: str | None
    version: str | None
    values: dict[str, Any]
    places: dict[str, int]
    whole: bool


@dataclass(frozen=True, slots=True)
class Said:
    """One value of the engine line: `key` is where it stands, `inside` the key within that key's value."""

    field: str
    value: Any
    stage: Stage
    key: str
    inside: str = ""


def parse(core: str | None, version: str | None, body: str) -> EngineLine:
    """An engine line from its head's words and its body. 0.6.6 and older print no core: they are unknown."""
    found, whole = repr_split.assignments(body)
    values = {key: value for key, (value, _) in found.items()}
    places = {key: place for key, (_, place) in found.items()}
    return EngineLine(core.lower() if core else None, version, values, places, whole)


def said(line: EngineLine, typed: dict[str, Any]) -> Iterator[Said]:
    """The facts of the line. `typed` holds the requested values by field."""
    for key, field in FIELD_OF.items():
        if key in line.values and not _counts_itself(key, line.values[key], typed):
            value = spelled(field, line.values[key])
            yield Said(field, _recorded(field, value), _stage(field, value, typed), key)
    if "kv_cache_dtype" in line.values:
        yield Said("clue.kv_dtype_engine_line", line.values["kv_cache_dtype"], "resolved", "kv_cache_dtype")
    yield from _speculation(line, typed)
    yield from _graphs(line, typed)
    device = str(line.values.get("device_config")).lower()
    if device in _PLATFORMS:
        yield Said("engine.platform", device, "resolved", "device_config")


def _counts_itself(key: str, value: Any, typed: dict[str, Any]) -> bool:
    """Engines of a dense model print data_parallel_size=1, each for itself, whatever was asked for."""
    asked = typed.get("parallel.data")
    return key == "data_parallel_size" and value == 1 and isinstance(asked, int) and asked > 1


def _stage(field: str, value: Any, typed: dict[str, Any]) -> Stage:
    if FIELDS[field].delegates(value):
        return "requested"
    if field in typed and spelled(field, typed[field]) == value and type(typed[field]) is type(value):
        return "requested"
    return "resolved"


def _recorded(field: str, value: Any) -> Any:
    if field == "model.quantization" and value is None:
        return "none"
    if field == "model.quantization" and isinstance(value, str):
        return value.rpartition(".")[2] if value.startswith("QuantizationMethods.") else value
    return value


def _speculation(line: EngineLine, typed: dict[str, Any]) -> Iterator[Said]:
    if "speculative_config" not in line.values:
        return
    config = line.values["speculative_config"]
    if config is None:
        yield Said("speculative.method", "none", "resolved", "speculative_config")
        return
    config = as_object(config)
    for keys, field in (
        (("method",), "speculative.method"),
        (("model", "draft_model"), "speculative.model"),
        (("num_spec_tokens", "num_speculative_tokens"), "speculative.tokens"),
    ):
        value = next((config[key] for key in keys if config.get(key) is not None), None)
        if value is not None:
            yield Said(field, value, _stage(field, value, typed), "speculative_config")


def _graphs(line: EngineLine, typed: dict[str, Any]) -> Iterator[Said]:
    config = as_object(line.values.get("compilation_config"))
    mode = graph_mode(config.get("cudagraph_mode"))
    if mode:
        yield Said("graphs.mode", mode, _stage("graphs.mode", mode, typed), "compilation_config", "cudagraph_mode")
    for key in ("max_cudagraph_capture_size", "max_capture_size"):
        size = config.get(key)
        if isinstance(size, int) and size > 0:
            yield Said("graphs.capture_max", size, _stage("graphs.capture_max", size, typed), "compilation_config", key)
            return


def graph_mode(value: Any) -> str | None:
    """A CUDA-graph mode by name; the numbers of 0.11.0 and older are translated."""
    if isinstance(value, str):
        return value.rpartition(".")[2] or None
    if isinstance(value, bool):
        return None
    return _GRAPH_MODES.get(value if isinstance(value, int) else str(value))
