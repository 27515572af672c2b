"""`/server_info` of vLLM (VLLM_SERVER_DEV_MODE=1): the configuration as the API server's process holds it.

Room: `parsers.endpoints`. 0.8.5 to 0.33: `vllm_config` is the text of the engine line, or with `config_format=json` an object of
all configurations, beside `vllm_env` and `system_env`. The API server never learns what a worker made of `cache_dtype`: it is
what was asked for, whatever it says. Capacity is synced from the engine and counts as observed, as in `/metrics`.
"""

from __future__ import annotations

from typing import Any

from kvaudit.fields import Stage, spelled
from kvaudit.parsers.endpoints.answer import Answer, AnswerParser, answer_of, as_object, head_keys, number, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.metrics.vllm import block_size_label
from kvaudit.parsers.vllm import engine_line
from kvaudit.sources.source import Source

ENGINE = "vllm"
_ROOT = "/vllm_config"
_GIB = 1 << 30
_PLATFORMS = frozenset({"cpu", "tpu", "xpu", "npu", "hpu", "neuron"})
_ASKED = frozenset({"kv_cache.dtype", "clue.kv_dtype_engine_line"})

_WORDS: tuple[tuple[str, str, str, Stage], ...] = (
    ("model_config", "model", "model.path", "requested"),
    ("model_config", "max_model_len", "model.max_len", "resolved"),
    ("model_config", "trust_remote_code", "model.trust_remote_code", "resolved"),
    ("model_config", "enforce_eager", "graphs.enforce_eager", "resolved"),
    ("model_config", "seed", "run.seed", "resolved"),
    ("cache_config", "enable_prefix_caching", "kv_cache.prefix_caching", "resolved"),
    ("cache_config", "gpu_memory_utilization", "memory.utilization", "resolved"),
    ("cache_config", "num_gpu_blocks", "kv_cache.blocks", "observed"),
    ("cache_config", "kv_cache_size_tokens", "kv_cache.tokens", "observed"),
    ("cache_config", "kv_cache_max_concurrency", "kv_cache.max_concurrency", "observed"),
    ("parallel_config", "tensor_parallel_size", "parallel.tensor", "resolved"),
    ("parallel_config", "pipeline_parallel_size", "parallel.pipeline", "resolved"),
    ("parallel_config", "data_parallel_size", "parallel.data", "resolved"),
    ("parallel_config", "decode_context_parallel_size", "parallel.context", "resolved"),
    ("scheduler_config", "max_num_seqs", "scheduler.max_num_seqs", "resolved"),
    ("scheduler_config", "max_num_batched_tokens", "scheduler.max_num_batched_tokens", "resolved"),
    ("scheduler_config", "enable_chunked_prefill", "scheduler.chunked_prefill", "resolved"),
    ("scheduler_config", "async_scheduling", "scheduler.async_scheduling", "resolved"),
    ("scheduler_config", "policy", "scheduler.policy", "resolved"),
)
_CHANGING = ("port", "_ip", "addr", "instance_id", "engine_id", "uuid", "quant_config")
"""Parts of key names whose values mean nothing for a run, and differ from one start to the next."""


class VllmServerInfo(AnswerParser):
    """Reads /server_info."""

    name = "endpoint:vllm-server-info"

    def recognises(self, source: Source) -> float:
        """An object that begins with vLLM's configuration."""
        return 0.9 if "vllm_config" in head_keys(source) else 0.0

    def read(self, source: Source) -> Reading:
        """The configuration, in either form."""
        answer = answer_of(source, self.name)
        held = answer.value.get("vllm_config")
        answer.say("engine.name", ENGINE, "observed", _ROOT)
        if isinstance(held, str):
            _from_line(answer, held)
        elif isinstance(held, dict):
            _from_objects(answer, held)
        version = text(as_object(answer.value.get("system_env")).get("vllm_version"))
        answer.say("engine.version", version.split(" ")[0] if version else None, "inferred", "/system_env/vllm_version")
        return answer.reading(ENGINE)


def _from_line(answer: Answer, body: str) -> None:
    """The engine line's text: its keys as in the log, but nothing about the KV type is resolved."""
    for said in engine_line.said(engine_line.parse(None, None, body), {}):
        if said.field not in _ASKED:
            answer.say(said.field, said.value, said.stage, _ROOT, how=f"{said.key} in vllm_config")
        elif said.field == "kv_cache.dtype":
            answer.say(said.field, said.value, "requested", _ROOT, how="the API server's copy of kv_cache_dtype")


def _from_objects(answer: Answer, config: dict[str, Any]) -> None:
    for section, key, name, stage in _WORDS:
        value = _plain(as_object(config.get(section)).get(key))
        measured = value or None if stage == "observed" else value  # 0 is what the engine has not told yet
        answer.say(name, measured, stage, f"{_ROOT}/{section}/{key}")
    _model(answer, as_object(config.get("model_config")))
    _cache(answer, as_object(config.get("cache_config")))
    _rest(answer, config)
    answer.say("clue.raw_configuration", {"server_info": _steady(config)}, "resolved", _ROOT)


def _plain(value: Any) -> Any:
    """A number, a switch or a word."""
    if isinstance(value, bool):
        return value
    return whole(value, 0) if isinstance(value, int) else number(value) or text(value)


def _model(answer: Answer, model: dict[str, Any]) -> None:
    at = f"{_ROOT}/model_config"
    if "revision" in model and model.get("model"):
        answer.say("model.revision", text(model["revision"]), "requested", f"{at}/revision")
    dtype = text(model.get("dtype"))
    answer.say("model.dtype", spelled("model.dtype", dtype) if dtype else None, "resolved", f"{at}/dtype")
    if "quantization" in model:
        answer.say("model.quantization", text(model["quantization"]) or "none", "resolved", f"{at}/quantization")


def _cache(answer: Answer, cache: dict[str, Any]) -> None:
    at = f"{_ROOT}/cache_config"
    how = "the API server's copy of cache_dtype"
    answer.say("kv_cache.dtype", text(cache.get("cache_dtype")), "requested", f"{at}/cache_dtype", how=how)
    if size := block_size_label(cache):
        answer.say("kv_cache.block_size", _plain(cache[size]), "resolved", f"{at}/{size}")
    if amount := whole(cache.get("kv_cache_memory_bytes")):
        answer.say("kv_cache.memory_gib", amount / _GIB, "resolved", f"{at}/kv_cache_memory_bytes")


def _rest(answer: Answer, config: dict[str, Any]) -> None:
    if "speculative_config" in config:
        speculative = config["speculative_config"]
        at = f"{_ROOT}/speculative_config"
        method = "none" if speculative is None else text(as_object(speculative).get("method"))
        answer.say("speculative.method", method, "resolved", at)
        answer.say("speculative.tokens", whole(as_object(speculative).get("num_speculative_tokens")), "resolved", at)
    graphs = as_object(config.get("compilation_config"))
    mode = engine_line.graph_mode(graphs.get("cudagraph_mode"))
    answer.say("graphs.mode", mode, "resolved", f"{_ROOT}/compilation_config/cudagraph_mode")
    size = whole(graphs.get("max_cudagraph_capture_size"))
    answer.say("graphs.capture_max", size, "resolved", f"{_ROOT}/compilation_config/max_cudagraph_capture_size")
    device = str(as_object(config.get("device_config")).get("device")).lower()
    answer.say("engine.platform", device if device in _PLATFORMS else None, "resolved", f"{_ROOT}/device_config/device")
    backend = text(as_object(config.get("attention_config")).get("backend"))
    answer.say("attention.backend", backend, "requested", f"{_ROOT}/attention_config/backend")


def _steady(value: Any) -> Any:
    """The configuration without what is new at every start: addresses of objects, ports, ids."""
    if isinstance(value, dict):
        return {key: _steady(held) for key, held in value.items() if not any(part in key for part in _CHANGING)}
    if isinstance(value, list):
        return [_steady(held) for held in value]
    return None if isinstance(value, str) and " object at 0x" in value else value
