"""TensorRT-LLM's JSON metrics: the pool, blocks reused since the start, and what is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kvaudit.errors import InputErrors
from kvaudit.parsers.facts import COUNTERS_CLUE
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor


def entry(reused: Any, missed: Any, rank: int | None = None, **pool: Any) -> dict[str, Any]:
    stats = {"maxNumBlocks": 2789, "freeNumBlocks": 2700, "tokensPerBlock": 32, "reusedBlocks": reused, "missedBlocks": missed}
    ranked = {} if rank is None else {"attentionDpRank": rank}
    return {"iter": 7, "iterLatencyMS": 11.5, "numActiveRequests": 2, "kvCacheStats": {**stats, **pool}, **ranked}


def arm(folder: Path, text: str) -> Record:
    path = folder / "metrics.json"
    path.write_text(text)
    return read_arm([str(path)], Redactor())


def counted(record: Record) -> Counters:
    return Counters.model_validate(record.clue(COUNTERS_CLUE))


@pytest.mark.parametrize("form", ["list", "pretty", "lines"])
def test_the_last_entry_tells_the_pool_and_the_totals(tmp_path: Path, form: str) -> None:
    entries = [entry(0, 4), entry(12, 36)]
    text = {"list": json.dumps(entries), "pretty": json.dumps(entries, indent=1), "lines": "\n".join(map(json.dumps, entries))}[
        form
    ]
    record = arm(tmp_path, text)
    known = {name: record.value(name) for name in ("engine.name", "kv_cache.blocks", "kv_cache.block_size")}
    assert known == {"engine.name": "tensorrt_llm", "kv_cache.blocks": 2789, "kv_cache.block_size": 32}
    assert record.value("runtime.prefix_hit_rate") == 12 / (12 + 36)
    assert (counted(record).prefix_unit, counted(record).values["prefix_queries"]) == ("blocks", 48.0)
    origin = record.facts("kv_cache.blocks")[0].origins[0]
    assert '"kvCacheStats"' in text.split("\n")[(origin.line or 0) - 1]
    assert origin.pointer == ("/kvCacheStats" if form == "lines" else "/1/kvCacheStats")


def test_ranks_that_divide_the_requests_add_up(tmp_path: Path) -> None:
    entries = [entry(1, 1, 0), entry(2, 10, 1), entry(6, 18, 0), entry(4, 20, 1)]
    record = arm(tmp_path, json.dumps(entries))
    assert counted(record).values == {"prefix_queries": 6 + 18 + 4 + 20, "prefix_hits": 6 + 4}
    assert [one.scope for one in record.facts("kv_cache.blocks")] == ["DP0", "DP1"]


@pytest.mark.parametrize("odd", [True, -1, 1.5, "12", None, 1 << 60, [12]])
def test_what_is_no_count_is_not_read(tmp_path: Path, odd: Any) -> None:
    record = arm(tmp_path, json.dumps([entry(odd, 36, maxNumBlocks=odd)]))
    assert (record.clue(COUNTERS_CLUE), record.state("kv_cache.blocks")) == (None, "unknown")


def test_a_list_that_breaks_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = json.dumps([entry(12, 36), entry(99, 99)], indent=1)
    record = arm(tmp_path, text[: text.index("99")])
    assert record.value("runtime.prefix_hit_rate") == 12 / 48
    assert "nothing behind it is read" in record.sources[0].notes[0]


@pytest.mark.parametrize(
    "text", ['[{"iter": 1, "kvCacheStats": ', '[{"iter": 1, "kvCacheStats": 3}]', '[{"iter": 1, "kvCacheStats": ' + "[" * 100_000]
)
def test_nothing_whole_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputErrors, match=r"metrics\.json"):
        arm(tmp_path, text)
