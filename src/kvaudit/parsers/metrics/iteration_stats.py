"""TensorRT-LLM's own `/metrics`: iteration statistics in JSON.

Room: `parsers`. Format: a list as the endpoint gives it or an object a line as trtllm-bench logs them; tensorrt_llm/executor, 1.0
to 1.3, with `enable_iter_perf_stats`. Blocks reused and missed are totals since the start. The endpoint forgets what it has told,
so peaks and sums over the entries are of an unknown part of the run and are not read. Hostile input: an entry that is no object,
or no number where one belongs, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.facts import COUNTERS_CLUE, Fact, Origin, Reading
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

_MARKS = ('"iterLatencyMS"', '"gpuMemUsage"', '"numActiveRequests"', '"iter"')
_FIELDS = (("maxNumBlocks", "kv_cache.blocks"), ("tokensPerBlock", "kv_cache.block_size"))
_SPACE = " \t\r\n,"
_LARGEST = 1 << 53
_WINDOW = 1 << 15


@dataclass(frozen=True, slots=True)
class _Entry:
    """The statistics of one iteration and where they begin in the text; `pointer` is empty outside a list."""

    offset: int
    pointer: str
    pool: dict[str, Any]
    rank: int

    def number(self, name: str) -> int | None:
        """A whole number of that name; None for anything else."""
        value = self.pool.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else None


class IterationStats:
    """Reads iteration statistics."""

    name = "iteration-stats"
    kind = "metrics"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """JSON whose objects hold the pool's statistics beside an iteration's."""
        head = source.head.lstrip("\ufeff \t\r\n")
        return 0.95 if head[:1] in ("[", "{") and '"kvCacheStats"' in head and any(mark in head for mark in _MARKS) else 0.0

    def read(self, source: Source) -> Reading:
        """The pool of each rank as its last entry has it, and the blocks reused and missed since the start."""
        text = source.text()
        if text is None:
            raise InputError(source.path, f"{source.size >> 20} MiB, too large for iteration statistics")
        reading = Reading(kind=self.kind, engine="tensorrt_llm")
        last: dict[int, _Entry] = {}
        for entry in _entries(text, source, reading):
            last[entry.rank] = entry
        if not last:
            raise InputError(source.path, "looks like iteration statistics and holds no whole entry")
        origins = {rank: _origin(source, text, entry, self.name) for rank, entry in last.items()}
        reading.facts.append(fact("engine.name", "tensorrt_llm", "observed", [next(iter(origins.values()))]))
        for rank, entry in sorted(last.items()):
            reading.facts += _pool(entry, origins[rank], f"DP{rank}" if len(last) > 1 else None)
        reading.facts += _counters(source.path, last, origins)
        return reading


def _entries(text: str, source: Source, reading: Reading) -> Iterator[_Entry]:
    """The whole entries, in order; a damaged end is noted."""
    decoder, position, index, listed = json.JSONDecoder(), 1 if text.startswith("\ufeff") else 0, 0, False
    while True:
        while position < len(text) and (text[position] in _SPACE or text[position] in "[]"):
            listed = listed or text[position] == "["
            position += 1
        if position == len(text):
            return
        try:
            value, end = decoder.raw_decode(text, position)
        except RecursionError as error:
            raise InputError(source.path, "JSON nested too deeply") from error
        except ValueError:
            reading.notes.append(f"line {text.count(chr(10), 0, position) + 1}: damaged JSON; nothing behind it is read")
            return
        pool = value.get("kvCacheStats") if isinstance(value, dict) else None
        if isinstance(pool, dict):
            rank = value.get("attentionDpRank", 0)
            pointer = f"/{index}/kvCacheStats" if listed else "/kvCacheStats"
            yield _Entry(position, pointer, pool, rank if isinstance(rank, int) else 0)
        position, index = end, index + 1


def _origin(source: Source, text: str, entry: _Entry, reader: str) -> Origin:
    at = text.find('"kvCacheStats"', entry.offset)
    start = max(text.rfind("\n", 0, at) + 1, at - _WINDOW)
    end = text.find("\n", at)
    line = text[start : min(len(text) if end < 0 else end, at + _WINDOW)]
    number = text.count("\n", 0, at) + 1
    return Origin(file=source.path, line=number, pointer=entry.pointer, excerpt=source.excerpt(line, at - start), reader=reader)


def _pool(entry: _Entry, origin: Origin, scope: str | None) -> list[Fact]:
    found = ((name, entry.number(key)) for key, name in _FIELDS)
    return [fact(name, value, "observed", [origin], scope=scope) for name, value in found if value]


def _counters(path: str, last: dict[int, _Entry], origins: dict[int, Origin]) -> list[Fact]:
    """Blocks looked up and reused, over the ranks; nothing where a rank does not tell."""
    pairs = [(entry.number("reusedBlocks"), entry.number("missedBlocks")) for entry in last.values()]
    known = [(reused, missed) for reused, missed in pairs if reused is not None and missed is not None]
    if len(known) < len(pairs):
        return []
    hits = sum(reused for reused, _ in known)
    lines = [origin.line for origin in origins.values() if origin.line is not None]
    series = [f"attention_dp_rank={rank}" for rank in sorted(last)]
    counters = Counters(
        file=path,
        engine="tensorrt_llm",
        values={"prefix_queries": float(hits + sum(missed for _, missed in known)), "prefix_hits": float(hits)},
        lines={"prefix_queries": lines, "prefix_hits": lines},
        series={"prefix_queries": series, "prefix_hits": series},
        prefix_unit="blocks",
    )
    return [fact(COUNTERS_CLUE, counters.model_dump(), "observed", list(origins.values()))]
