"""What vLLM's metrics say besides its counters: the cache configuration of the API server, and what V0's gauge gives away.

Room: `parsers`. Source: vllm/engine/metrics.py (V0), vllm/v1/metrics/loggers.py, 0.8 to 0.33. `cache_dtype` is the API server's
copy: it repeats what was asked for and never learns what a worker did, so `auto` here is a request and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.metrics.exposition import Sample
from kvaudit.parsers.metrics.tally import Locate
from kvaudit.parsers.metrics.values import gib, integer, positive, switch
from kvaudit.parsers.tables import fact

_CONFIGURATION = "vllm:cache_config_info"
_HIT_RATE = "vllm:gpu_prefix_cache_hit_rate"
_POSITIONS = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
_DRAFTS = "vllm:spec_decode_num_drafts_total"
_DRAFT_TOKENS = "vllm:spec_decode_num_draft_tokens_total"

_LABELS: tuple[tuple[str, str, Stage, Callable[[str], Any]], ...] = (
    ("num_gpu_blocks", "kv_cache.blocks", "observed", integer),
    ("gpu_memory_utilization", "memory.utilization", "resolved", positive),
    ("enable_prefix_caching", "kv_cache.prefix_caching", "resolved", switch),
    ("kv_cache_size_tokens", "kv_cache.tokens", "observed", integer),
    ("kv_cache_max_concurrency", "kv_cache.max_concurrency", "observed", positive),
    ("kv_cache_memory_bytes", "kv_cache.memory_gib", "resolved", gib),
    ("cpu_kvcache_space_bytes", "kv_cache.memory_gib", "resolved", gib),
)


def facts_of(samples: Iterable[Sample], locate: Locate) -> list[Fact]:
    """The facts of one vLLM scrape; its counters come as one clue, because rates need two moments or a whole run."""
    found = list(samples)
    engines = [one for one in found if one.name == _CONFIGURATION]
    out: list[Fact] = []
    for one in engines:
        out += _configuration(one, len(engines), locate)
    return [*out, *_caching_of_v0(found, locate), *_drafted(found, locate)]


def _configuration(sample: Sample, engines: int, locate: Locate) -> list[Fact]:
    """Each label that says something. With several engines behind one API server `num_gpu_blocks` is their sum."""
    scope = f"DP{sample.labels.get('engine', '0')}"
    out = []
    for label, name, stage, convert in _LABELS:
        value = convert(sample.labels[label]) if label in sample.labels else None
        if value is not None and (label != "num_gpu_blocks" or engines == 1):
            out.append(fact(name, value, stage, [locate(sample, label)], scope=scope))
    size = block_size_label(sample.labels)
    if size and (value := integer(sample.labels[size])) is not None:
        out.append(fact("kv_cache.block_size", value, "resolved", [locate(sample, size)], scope=scope))
    asked = sample.labels.get("cache_dtype")
    if asked:
        out.append(fact("kv_cache.dtype", asked, "requested", [locate(sample, "cache_dtype")], scope=scope))
    return out


def block_size_label(cache: Mapping[str, object]) -> str | None:
    """Which of the cache configuration's keys holds the page size, if any of them does.

    Models with recurrent layers (`mamba_block_size` is set) have pages as large as a recurrent state. Where the engine's worker
    resolves them (`_block_size_resolved` is there, about 0.18 and newer), the API server's `block_size` stays the default;
    `effective_attention_block_size` of the newest releases is the engine's word.
    """
    hybrid = cache.get("mamba_block_size") not in (None, "None") and "_block_size_resolved" in cache
    name = "effective_attention_block_size" if hybrid else "block_size"
    return name if name in cache else None


def _caching_of_v0(found: list[Sample], locate: Locate) -> list[Fact]:
    """V0's gauge is -1 where the allocator keeps no prefixes, and a share where it does."""
    held = [one for one in found if one.name == _HIT_RATE]
    if not held or any(one.value != -1 and not 0 <= one.value <= 1 for one in held):
        return []
    caching = {one.value != -1 for one in held}
    how = "V0's hit rate gauge is -1 where prefixes are not kept" if caching == {False} else "V0's hit rate gauge is a share"
    origins = [locate(one, _HIT_RATE) for one in held[:4]]
    return [fact("kv_cache.prefix_caching", caching.pop(), "inferred", origins, how=how)] if len(caching) == 1 else []


def _drafted(found: list[Sample], locate: Locate) -> list[Fact]:
    """Tokens drafted per step: one counter for each position, and exactly that many drafted in every step."""
    positions = sorted({one.labels.get("position", "") for one in found if one.name == _POSITIONS})
    drafts = [one for one in found if one.name == _DRAFTS]
    tokens = [one for one in found if one.name == _DRAFT_TOKENS]
    steps = sum(one.value for one in drafts)
    if not positions or steps <= 0 or sum(one.value for one in tokens) != steps * len(positions):
        return []
    how = f"{len(positions)} draft positions are counted, and {len(positions)} tokens were drafted in each of {steps:,.0f} steps"
    origins = [locate(one, one.name) for one in (*drafts[:2], *tokens[:2])]
    return [fact("speculative.tokens", len(positions), "inferred", origins, how=how)]
