"""Which engine answers, by its endpoints, and which endpoints it has; data, and one decision.

Room: `capture`. Sources: vLLM 0.8.5 to 0.33 (entrypoints/openai/api_server.py, entrypoints/serve), SGLang 0.4.1 to 0.5.23
(srt/entrypoints/http_server.py), llama.cpp b4798 to b11434 (tools/server), TensorRT-LLM 0.20 to 1.3 (serve/openai_server.py),
TGI 3, LMDeploy 0.10, Ollama 0.12.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kvaudit.capture.fetching import Answer


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint: its paths from the newest to the oldest, the file it is kept as, and the remedy where it is closed."""

    paths: tuple[str, ...]
    file: str
    what: str
    remedy: str = ""


MODELS = Endpoint(("/v1/models",), "models.json", "the served model")
METRICS = Endpoint(("/metrics",), "metrics.txt", "counters and cache configuration")
VERSION = Endpoint(("/version",), "version.json", "version")
PROPS = Endpoint(("/props",), "props.json", "context, slots, model file, build")

FIRST = (MODELS, VERSION, METRICS)
"""What tells the engine, in this order, up to the first answer that does."""

_VLLM_INFO = (
    "restart a loopback test server with VLLM_SERVER_DEV_MODE=1 to have it; never one that others can reach: the variable also "
    "opens endpoints that control the server without a login"
)
ENDPOINTS: dict[str, tuple[Endpoint, ...]] = {
    "vllm": (
        VERSION,
        METRICS,
        Endpoint(("/server_info?config_format=json",), "server_info.json", "the whole configuration", _VLLM_INFO),
    ),
    "sglang": (
        Endpoint(METRICS.paths, METRICS.file, METRICS.what, "start the server with --enable-metrics"),
        Endpoint(("/server_info", "/get_server_info"), "server_info.json", "the arguments and what became of them"),
        Endpoint(("/model_info", "/get_model_info"), "model_info.json", "the served model"),
    ),
    "llama_cpp": (
        PROPS,
        Endpoint(("/slots",), "slots.json", "context of each slot", "start the server with --slots"),
        Endpoint(METRICS.paths, METRICS.file, METRICS.what, "start the server with --metrics"),
    ),
    "tensorrt_llm": (
        VERSION,
        Endpoint(("/prometheus/metrics",), METRICS.file, METRICS.what, "start the server with return_perf_metrics: true"),
        Endpoint(("/metrics",), "iterations.json", "statistics of iterations", "set enable_iter_perf_stats: true"),
    ),
    "tgi": (Endpoint(("/info",), "info.json", "model, limits, version"), METRICS),
    "ollama": (
        Endpoint(("/api/version",), "version.json", "version"),
        Endpoint(("/api/ps",), "models_loaded.json", "loaded models"),
    ),
    "lmdeploy": (METRICS,),
}
"""What each engine is asked beyond `/v1/models`."""

LOG_REMEDIES = {
    "llama_cpp": "llama.cpp prints no line about the KV cache at its default verbosity: start it with -lv 4 and keep its stderr",
    "sglang": "keep the server's log from its first line: SGLang states its KV pool nowhere else before 0.5.9",
    "vllm": "keep the server's log from its first line: no endpoint of vLLM says what a worker made of kv_cache_dtype=auto",
}
"""What to say where no log was given."""

_OWNERS = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llamacpp": "llama_cpp",
    "tensorrt_llm": "tensorrt_llm",
    "lmdeploy": "lmdeploy",
    "library": "ollama",
}
_PREFIXES = (
    (b"\nvllm:", "vllm"),
    (b"\nsglang:", "sglang"),
    (b"\nllamacpp:", "llama_cpp"),
    (b"\ntrtllm_", "tensorrt_llm"),
    (b"\ntgi_", "tgi"),
    (b"\nlmdeploy:", "lmdeploy"),
)


def engine_of(answers: Mapping[str, Answer]) -> tuple[str, str] | None:
    """The engine and the path of the answer that gave it away; None where no answer is an engine's."""
    for path in ("/v1/models", "/metrics", "/props", "/server_info", "/get_server_info"):
        answer = answers.get(path)
        if answer is not None and (engine := _by_answer(answer)):
            return engine, path
    return None


def _by_answer(answer: Answer) -> str | None:
    if answer.headers.get("server", "").lower().startswith("llama.cpp"):
        return "llama_cpp"
    if not answer.good:
        return None
    if answer.path == "/metrics":
        return next((engine for prefix, engine in _PREFIXES if prefix in b"\n" + answer.body), None)
    document = parsed(answer.body)
    if answer.path == "/v1/models":
        return _by_owner(document)
    keys = set(document) if isinstance(document, dict) else set()
    if {"build_info", "default_generation_settings"} & keys and answer.path == "/props":
        return "llama_cpp"
    return "sglang" if {"internal_states", "mem_fraction_static", "disable_radix_cache"} & keys else None


def _by_owner(document: Any) -> str | None:
    listed = document.get("data") if isinstance(document, dict) else None
    owners = [one.get("owned_by") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return next((_OWNERS[owner] for owner in owners if isinstance(owner, str) and owner in _OWNERS), None)


def parsed(body: bytes) -> Any:
    """A JSON document, None where the bytes hold none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
