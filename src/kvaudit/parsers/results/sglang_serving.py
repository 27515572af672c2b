"""SGLang `bench_serving`: one object per line, appended run after run, since 0.5.10 with the server's own description in it.

Room: `parsers.results`. Keys of the sources of SGLang 0.3.6 to 0.5.23. The description (`server_info`, the answer of
`GET /server_info`) holds the arguments as the server settled them, and what it measured of its memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, at, number, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.parsers.results.vllm_serve import take_arrays
from kvaudit.parsers.sglang.arguments import Arguments, said
from kvaudit.patterns import LatePattern

TOOL = "sglang-bench-serving"

_QUANTITIES = {
    "endpoint": "backend",
    "dataset": "dataset_name",
    "request_rate": "request_rate",
    "max_concurrency": "max_concurrency",
    "duration": "duration",
    "completed": "completed",
    "input_tokens": "total_input_tokens",
    "output_tokens_retokenized": "total_output_tokens_retokenized",
    "request_throughput": "request_throughput",
    "input_throughput": "input_throughput",
    "output_throughput": "output_throughput",
    "total_throughput": "total_throughput",
    "peak_output_throughput": "max_output_tokens_per_s",
    "peak_concurrency": "max_concurrent_requests",
    "concurrency": "concurrency",
    "accept_length": "accept_length",
}
_FAMILIES = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2e_latency": "e2e"}
_LATENCY = LatePattern(r"^(?P<statistic>mean|median|std|p\d{1,2}|max)_(?P<family>ttft|tpot|itl|e2e_latency)_ms$")
_RANDOM = frozenset({"random", "random-ids", "random_ids", "random-image", "image"})
_MEASURED = {"model.weights_gib": "weight", "kv_cache.memory_gib": "kvcache", "graphs.memory_gib": "graph"}


def claims(shape: Shape) -> bool:
    """Keys that only this client writes."""
    own = shape.has("sharegpt_output_len") or shape.has("total_output_tokens_retokenized")
    return not shape.listed and own and shape.has("backend", "request_rate")


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if not isinstance(value, dict):
        return
    run = Draft(TOOL, value, label=text(value.get("tag")))
    for name, key in _QUANTITIES.items():
        run.take(name, key)
    run.take("output_tokens", "total_output_tokens", counted=_counted(value))
    run.take("cached_tokens", "cache_report", "total_cached_tokens")
    for key in value:
        if match := _LATENCY.search(str(key)):
            run.take(f"{_FAMILIES[match.group('family')]}.{match.group('statistic')}", key)
    _take_lengths(run)
    take_arrays(run)
    _take_server(run)
    run.tool_version = _version_range(value)
    yield run


def _counted(value: dict[str, Any]) -> str | None:
    """The OpenAI clients write the length that was asked for unless usage comes with a piece of text (0.4 to 0.5.23)."""
    backend = value.get("backend")
    return "requested" if isinstance(backend, str) and (backend.endswith(("-oai", "-chat")) or backend == "vllm") else None


def _take_lengths(run: Draft) -> None:
    """The options are in every file, but only those of the dataset in use mean anything."""
    dataset = text(run.root.get("dataset_name"))
    if dataset in _RANDOM:
        run.take("input_length", "random_input_len")
        run.take("output_length", "random_output_len")
    elif dataset == "sharegpt":
        run.take("output_length", "sharegpt_output_len")
    for name, key in (("prefix_length", "gsp_system_prompt_len"), ("output_length", "gsp_output_len")):
        if dataset == "generated-shared-prefix":
            run.take(name, key)


def _version_range(value: dict[str, Any]) -> str | None:
    """From the keys that every file of a release holds; the server's version is none of the client.

    Of each key the first release that can have it and the last that can lack it, as far as releases were looked at.
    """
    since = (("max_concurrency", "0.4.0"), ("accept_length", "0.4.2"), ("tag", "0.4.10"))
    before = {"max_concurrency": "0.4.0", "accept_length": "0.4.5", "tag": "0.5.9"}
    held = [key for key, _ in since if key in value]
    missing = [key for key, _ in since if key not in value]
    if missing and held != [key for key, _ in since][: len(held)]:
        return None
    lower = dict(since)[held[-1]] if held else "0.3.6"
    return f"{lower} to {before[missing[0]]}" if missing else f"{lower} or newer"


def _take_server(run: Draft) -> None:
    """What the server said of itself. Behind a router there are several, of which the file does not say who did what."""
    info = run.root.get("server_info")
    if not isinstance(info, dict):
        return
    if not isinstance(info.get("model_path"), str):
        if isinstance(info.get("prefill"), list) or isinstance(info.get("decode"), list):
            run.notes.append("server_info is that of a router with several servers; nothing of them is read")
        return
    run.model = text(info.get("model_path"))
    run.says("engine.name", "sglang", "resolved", "server_info")
    run.says("engine.version", text(info.get("version")), "resolved", "server_info", "version")
    for one in said(Arguments(info, whole=False)):
        run.says(one.field, one.value, one.stage, "server_info", one.key, how=one.how)
    _take_memory(run, info)
    interval = info.get("stream_interval")
    run.hold("stream_interval", interval, "server_info", "stream_interval")


def _take_memory(run: Draft, info: dict[str, Any]) -> None:
    """Tokens as the scheduler counts them; sizes in GiB, rounded to two places by the server."""
    tokens = number(info.get("max_total_num_tokens"))
    if isinstance(tokens, int) and tokens > 0:
        run.says("kv_cache.tokens", tokens, "observed", "server_info", "max_total_num_tokens")
    states = info.get("internal_states")
    if not isinstance(states, list) or len(states) != 1:
        return
    for name, key in _MEASURED.items():
        size = number(at(states, 0, "memory_usage", key))
        if size is not None and size > 0:
            run.says(name, size, "resolved", "server_info", "internal_states", 0, "memory_usage", key)
