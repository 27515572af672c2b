"""What SGLang's gauges say of its pool: constants that the scheduler publishes once it is up.

Room: `parsers`. Source: sglang/srt/metrics/collector.py, 0.5.9 to 0.5.23. `cache_hit_rate` is the last batch's and falls to 0 at
every decode report; memory gauges leave out pools of some models (0 for DeepSeek-V4): neither is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.metrics.exposition import Sample
from kvaudit.parsers.metrics.tally import Locate
from kvaudit.parsers.tables import fact

_GAUGES = {
    "sglang:max_total_num_tokens": "kv_cache.tokens",
    "sglang:page_size": "kv_cache.block_size",
    "sglang:context_len": "model.max_len",
}
_RANKS = (("DP", "dp_rank"), ("TP", "tp_rank"), ("PP", "pp_rank"))


def facts_of(samples: Iterable[Sample], locate: Locate) -> list[Fact]:
    """One fact a rank that publishes a gauge; zero is a gauge that nobody has set."""
    out = []
    for one in samples:
        name = _GAUGES.get(one.name)
        if name and one.value > 0 and one.value.is_integer():
            rank = " ".join(f"{word}{one.labels[label]}" for word, label in _RANKS if label in one.labels)
            out.append(fact(name, int(one.value), "observed", [locate(one, one.name)], scope=rank or None))
    return out
