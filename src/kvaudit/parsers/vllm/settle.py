"""Last decisions about one start, when all its lines were read: arguments, engine line, what follows from both.

Room: the engine's own conventions, applied to one start. No inference about the KV dtype, none across sources.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from kvaudit.parsers.log_reading import add_outcome
from kvaudit.parsers.outcome import Outcome
from kvaudit.parsers.tables import Match
from kvaudit.parsers.vllm import arguments, engine_line
from kvaudit.parsers.vllm.messages import Record
from kvaudit.parsers.vllm.processes import process_ids

if TYPE_CHECKING:
    from kvaudit.parsers.vllm.start import StartBuilder

_AFTER_DRAFTER = frozenset(
    {
        "attention-chosen",
        "attention-explicit",
        "attention-v1",
        "attention-v0",
        "attention-in-words",
        "attention-overridden",
        "flash-attention-version",
        "moe-oracle",
        "moe-for-format",
        "moe-gpt-oss",
        "linear-kernel",
        "linear-nvfp4",
    }
)
_BLOCK_SIZES = (1, 8, 16, 32, 64, 128, 256)


def is_ignored(start: StartBuilder, record: Record, match: Match) -> bool:
    """Whether a matched line is about something else than the served model or the resolved setting."""
    name = match.row.name
    process = record.process.pid if record.process else None
    if name in _AFTER_DRAFTER and process in start.drafting:
        return True
    if name == "batched-tokens":
        known = start.collector.value("scheduler.max_num_batched_tokens") is not None
        dummy, start.dummy_expected = start.dummy_expected, False
        return dummy or (known and "engine" in start.reached)
    return False


def settle(start: StartBuilder, outcome: Outcome, sampled: bool) -> None:
    """Add everything that needs the whole start."""
    _drop_dummies(start)
    _arguments(start)
    _engine(start)
    _core(start)
    _offload(start)
    _parallel(start)
    _block_size(start)
    caching = start.collector.value("kv_cache.prefix_caching")
    start.statistics.emit(start.collector, caching_off=caching is False, sampled=sampled)
    _outcome(start, outcome)
    for milestone, record in start.reached.items():
        start.collector.append("clue.log_reached", milestone, [start.collector.origin(record, 0, "milestone")])
    if start.processes and start.first is not None:
        origin = start.collector.origin(start.first, 0, "process-name")
        start.collector.add("clue.process_ids", process_ids(start.processes), "observed", [origin])


def _drop_dummies(start: StartBuilder) -> None:
    """A batching line before the server's own banner, where it prints one, is about a dummy configuration."""
    if not start.openers.keys() & {"banner", "arguments"}:
        return
    found = start.collector.fact("scheduler.max_num_batched_tokens")
    if found and found.origins and found.origins[0].line is not None and found.origins[0].line < start.opened_at:
        start.collector.drop("scheduler.max_num_batched_tokens", found.stage)


def _arguments(start: StartBuilder) -> None:
    if start.arguments is None:
        return
    record = start.reached["arguments"]
    collector = start.collector
    for field, value, key in arguments.requested(start.arguments):
        at = max(0, record.message.find(key))
        collector.add(field, value, "requested", [collector.origin(record, at, "arguments")], weight=3)
    collector.add("run.args", start.arguments.values, "requested", [collector.origin(record, 0, "arguments")])


def _typed(start: StartBuilder) -> dict[str, Any]:
    if start.arguments is None:
        return {}
    return {field: value for field, value, _ in arguments.requested(start.arguments)}


def _engine(start: StartBuilder) -> None:
    line = start.engine
    if line is None:
        return
    record, collector = start.reached["engine"], start.collector
    body = record.message.find("with config: ") + len("with config: ")
    if "model.max_len" in {said.field for said in engine_line.said(line, {})}:
        collector.drop("model.max_len", "resolved")
    if line.version:
        origin = collector.origin(record, record.message.find("(v"), "engine-line")
        collector.add("engine.version", line.version, "resolved", [origin], weight=3)
    if line.core:
        collector.add("engine.core", line.core, "resolved", [collector.origin(record, 0, "engine-line")], weight=3)
    typed = _typed(start)
    for said in engine_line.said(line, typed):
        at = body + line.places.get(said.key, 0)
        if said.inside:
            at = max(at, record.message.find(said.inside, at))
        collector.add(said.field, said.value, said.stage, [collector.origin(record, at, "engine-line")], weight=1)
    whole = {"engine line": line.values}
    collector.add("clue.raw_configuration", whole, "resolved", [collector.origin(record, 0, "engine-line")])


def _core(start: StartBuilder) -> None:
    """Only the V1 engine has engine-core processes."""
    cores = [process for process in start.processes if process.is_engine]
    if cores and start.collector.value("engine.core") is None and start.witness is not None:
        origin = start.collector.origin(start.witness, 0, "process-name")
        start.collector.add("engine.core", "v1", "inferred", [origin], how="only the V1 engine has engine-core processes")


def _offload(start: StartBuilder) -> None:
    collector = start.collector
    connector = collector.fact("kv_transfer.connector")
    if start.arguments is None and connector is None:
        return
    known = start.arguments or arguments.Arguments({}, whole=False, only_typed=True)
    value = arguments.offload(known, connector.value if connector else None)
    if value is None:
        return
    origins = connector.origins if connector else [collector.origin(start.reached["arguments"], 0, "arguments")]
    how = "the arguments name no connector and no offload" if value == "none" else None
    collector.add("kv_cache.offload", value, "resolved", list(origins), how=how)


def _ranks(start: StartBuilder, field: str, found: set[int], how: str) -> None:
    """A parallel size from the ranks in process names, where nobody printed it."""
    if start.collector.value(field) is not None or len(found) < 2 or found != set(range(len(found))) or start.witness is None:
        return
    start.collector.add(field, len(found), "inferred", [start.collector.origin(start.witness, 0, "process-name")], how=how)


def _parallel(start: StartBuilder) -> None:
    collector = start.collector
    tensor = {process.tensor_rank for process in start.processes if process.tensor_rank is not None}
    data = {process.data_rank for process in start.processes if process.data_rank is not None}
    if len(data) > 1 and collector.value("parallel.data") == 1:
        collector.drop("parallel.data", "resolved")
    _ranks(start, "parallel.tensor", tensor, "workers TP0 to the highest wrote lines")
    _ranks(start, "parallel.data", data, "engine cores DP0 to the highest wrote lines")
    sizes = [collector.fact(f"parallel.{name}") for name in ("tensor", "pipeline", "data")]
    if start.arguments and start.arguments.values.get("enable_expert_parallel") is True and sizes[0]:
        replicas = sizes[2].value if sizes[2] else 1
        if isinstance(sizes[0].value, int) and isinstance(replicas, int):
            origin = collector.origin(start.reached["arguments"], 0, "arguments")
            how = "expert parallelism is on: tensor × data"
            collector.add("parallel.expert", sizes[0].value * replicas, "resolved", [origin], how=how)
    known = [size for size in sizes if size is not None and isinstance(size.value, int)]
    if len(known) == 3 or (len(known) == 2 and sizes[2] is None and start.engine is not None):
        gpus = math.prod(size.value for size in known)
        prefill = start.arguments.values.get("prefill_context_parallel_size") if start.arguments else None
        gpus *= prefill if isinstance(prefill, int) and prefill > 1 else 1
        origins = [origin for size in known for origin in size.origins]
        collector.add("parallel.gpus", gpus, "inferred", origins, how="tensor × pipeline × data")


def _block_size(start: StartBuilder) -> None:
    """V0 prints blocks and concurrency: the block size is the only power of two that fits both; tokens follow."""
    collector = start.collector
    blocks, length = collector.ranked("kv_cache.blocks"), collector.fact("model.max_len")
    if not blocks or collector.ranked("kv_cache.tokens"):
        return
    fewest = min(blocks, key=lambda fact: fact.value)
    size = collector.fact("kv_cache.block_size")
    concurrency = collector.ranked("kv_cache.max_concurrency")
    if (size is None or not isinstance(size.value, int)) and concurrency and length and _is_count(length.value):
        fits = [number for number in _BLOCK_SIZES if abs(number * fewest.value / length.value - concurrency[0].value) <= 0.006]
        if len(fits) == 1:
            origins = [*fewest.origins, *concurrency[0].origins]
            how = "concurrency × context ÷ blocks"
            collector.add("kv_cache.block_size", fits[0], "inferred", origins, how=how)
            size = collector.fact("kv_cache.block_size")
    if size is not None and isinstance(size.value, int):
        origins = [*fewest.origins, *size.origins]
        collector.add("kv_cache.tokens", fewest.value * size.value, "inferred", origins, how="blocks × block size")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and value > 0


def _outcome(start: StartBuilder, outcome: Outcome) -> None:
    add_outcome(start.collector, outcome, start.life.ready)
    if outcome.ready and start.life.ready:
        start.mark("ready", start.life.ready)
