"""What vLLM's metrics say: the cache configuration of the API server, counters and gauges.

Room: `parsers`. Source: vllm/v1/metrics/loggers.py, 0.8 to 0.33. `cache_dtype` is the API server's copy: it repeats what was
asked for and never learns what a worker did, so `auto` here is a request and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.metrics.exposition import Sample
from kvaudit.parsers.tables import fact

Locate = Callable[[Sample, str], Origin]

_CONFIGURATION = "vllm:cache_config_info"
_PREEMPTIONS = ("vllm:num_preemptions_total", "vllm:num_preemptions")
_QUERIES = ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total", "vllm:prefix_cache_queries")
_HITS = ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total", "vllm:prefix_cache_hits")
_GIB = 1 << 30


def _integer(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 and int(text) > 0 else None


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float(1 << 62) else None


def _switch(text: str) -> bool | None:
    return {"True": True, "False": False}.get(text)


def _gib(text: str) -> float | None:
    amount = _integer(text)
    return amount / _GIB if amount else None


_LABELS: tuple[tuple[str, str, Stage, Callable[[str], Any]], ...] = (
    ("block_size", "kv_cache.block_size", "resolved", _integer),
    ("num_gpu_blocks", "kv_cache.blocks", "observed", _integer),
    ("gpu_memory_utilization", "memory.utilization", "resolved", _positive),
    ("enable_prefix_caching", "kv_cache.prefix_caching", "resolved", _switch),
    ("kv_cache_size_tokens", "kv_cache.tokens", "observed", _integer),
    ("kv_cache_max_concurrency", "kv_cache.max_concurrency", "observed", _positive),
    ("kv_cache_memory_bytes", "kv_cache.memory_gib", "resolved", _gib),
    ("cpu_kvcache_space_bytes", "kv_cache.memory_gib", "resolved", _gib),
)


def facts_of(samples: Iterable[Sample], locate: Locate) -> list[Fact]:
    """The facts of one vLLM dump; counters come as one clue, because rates need two moments or a whole run."""
    found = list(samples)
    out: list[Fact] = []
    for sample in found:
        if sample.name == _CONFIGURATION:
            out += _configuration(sample, locate)
    counters = {
        "preemptions": _sum(found, _PREEMPTIONS),
        "prefix_queries": _sum(found, _QUERIES),
        "prefix_hits": _sum(found, _HITS),
        "started": next((sample.value for sample in found if sample.name == "process_start_time_seconds"), None),
    }
    named = [sample for sample in found if sample.name in (*_PREEMPTIONS, *_QUERIES, *_HITS)]
    if named:
        out.append(fact("clue.metrics_counters", counters, "observed", [locate(sample, sample.name) for sample in named[:6]]))
    return out


def _configuration(sample: Sample, locate: Locate) -> list[Fact]:
    engine = sample.labels.get("engine", "0")
    scope = f"DP{engine}"
    out = []
    for label, name, stage, convert in _LABELS:
        value = convert(sample.labels[label]) if label in sample.labels else None
        if value is not None:
            out.append(fact(name, value, stage, [locate(sample, label)], scope=scope))
    asked = sample.labels.get("cache_dtype")
    if asked:
        out.append(fact("kv_cache.dtype", asked, "requested", [locate(sample, "cache_dtype")], scope=scope))
    return out


def _sum(samples: list[Sample], names: tuple[str, ...]) -> float | None:
    """The counter over all engines, under the first of its names that the dump holds."""
    for name in names:
        values = [sample.value for sample in samples if sample.name == name]
        if values:
            return sum(values)
    return None
