"""The TGI log parser: the launcher's arguments, shards, and what a whole start says beyond its single lines.

Room: the `Parser` protocol for TGI; the reading itself is `plain_log`.
"""

from __future__ import annotations

from kvaudit.fields import FIELDS, Stage, spelled
from kvaudit.parsers import engine_words
from kvaudit.parsers.plain_log import Dialect, PlainLog, PlainStart, Record
from kvaudit.parsers.tables import Match
from kvaudit.parsers.tgi import rows, rust_debug
from kvaudit.parsers.tgi.messages import records
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_CERTAIN = LatePattern(
    r"^(?:Args \{|Starting shard rank=|Shard ready in |KV-cache blocks: |Sharding model on |Using attention |Warming up model|"
    r"Setting max batch total tokens to |Starting Webserver|Default `max_|Starting (?:check and )?download process)"
)
_FIELD_OF = {
    "model_id": "model.path",
    "revision": "model.revision",
    "dtype": "model.dtype",
    "quantize": "model.quantization",
    "trust_remote_code": "model.trust_remote_code",
    "num_shard": "parallel.tensor",
    "max_total_tokens": "model.max_len",
    "max_batch_prefill_tokens": "scheduler.max_num_batched_tokens",
    "max_batch_size": "scheduler.max_num_seqs",
    "speculate": "speculative.tokens",
}
_KV_TYPES = {"Fp8e4m3fn": "fp8_e4m3", "Fp8e5m2": "fp8_e5m2", "fp8_e4m3fn": "fp8_e4m3", "fp8_e5m2": "fp8_e5m2"}
_DTYPES = {"Float16": "float16", "BFloat16": "bfloat16"}
_MOST_LINES = 200


def _settle(start: PlainStart) -> None:
    _arguments(start)
    _tokens(start)
    _shards(start)


def _arguments(start: PlainStart) -> None:
    held = start.kept.get("arguments")
    if not held:
        return
    match, record = held[0]
    values, _ = rust_debug.fields(_body(start.source, record, match))
    collector = start.collector
    origin = collector.origin(record, 0, "arguments")
    for key, field in _FIELD_OF.items():
        value = values.get(key)
        unset = value is None and not (key == "revision" and key in values)
        if unset or isinstance(value, dict | list):
            continue
        recorded = _DTYPES.get(str(value), value) if key == "dtype" else value
        stage: Stage = "requested"
        collector.add(field, spelled(field, recorded), stage, [origin])
    if "kv_cache_dtype" in values:
        named = values["kv_cache_dtype"]
        collector.add("kv_cache.dtype", _KV_TYPES.get(str(named), "auto") if named is not None else "auto", "requested", [origin])
    if values:
        collector.add("run.args", values, "requested", [origin])


def _body(source: Source, record: Record, match: Match) -> str:
    """The text from `Args {` to its closing brace: one line in older releases, one line a field since 1.2."""
    body = match.groups["body"]
    text = source.text()
    if body.endswith("}") or text is None:
        return body
    for line in text.split("\n")[record.number : record.number + _MOST_LINES]:
        readable = without_colours(line).rstrip("\r")
        body += f"\n{readable}"
        if readable.endswith("}") and not readable.startswith("    "):
            break
    return body


def _tokens(start: PlainStart) -> None:
    collector = start.collector
    blocks, size = collector.ranked("kv_cache.blocks"), collector.fact("kv_cache.block_size")
    if blocks and size is not None and isinstance(size.value, int):
        fewest = min(blocks, key=lambda fact: int(fact.value))
        collector.add("kv_cache.tokens", fewest.value * size.value, "observed", fewest.origins, how="blocks × block size")


def _shards(start: PlainStart) -> None:
    """Every shard is a tensor-parallel rank; one that starts alone and serves is the only one."""
    held = start.kept.get("shard", [])
    ranks = {int(match.groups["rank"]) for match, _ in held}
    collector = start.collector
    if not ranks or ranks != set(range(len(ranks))) or start.ready is None:
        return
    known = collector.fact("parallel.tensor")
    if known is not None and known.stage != "requested":
        return
    match, record = held[-1]
    origin = collector.origin(record, match.start, "shard")
    for field in ("parallel.tensor", "parallel.gpus"):
        if field in FIELDS:
            collector.add(field, len(ranks), "inferred", [origin], how="shards that were started")


DIALECT = Dialect(
    name="tgi",
    records=records,
    marks=engine_words.TGI,
    facts=rows.FACTS,
    notices=rows.NOTICES,
    life=rows.LIFE,
    certain=lambda record: _CERTAIN.search(record.message) is not None,
    settle=_settle,
    weights=rows.WEIGHTS,
)


class TgiLog(PlainLog):
    """Logs of TGI's launcher, 0.9 to 3.3."""

    name = "tgi"
    dialect = DIALECT
    hints: tuple[bytes, ...] = (*DIALECT.hints, b"text_generation_launcher: ")
