"""Last decisions about one start, when all its lines were read: pools, dumps, ranks, outcome.

Room: the engine's own conventions, applied to one start. No inference about the KV element type, none across sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.parsers.converters import integer
from kvaudit.parsers.log_reading import add_outcome
from kvaudit.parsers.outcome import Outcome
from kvaudit.parsers.tensorrt_llm import llm_args
from kvaudit.parsers.tensorrt_llm.pools import Pool, Seen

if TYPE_CHECKING:
    from kvaudit.parsers.tensorrt_llm.start import StartBuilder

_DUMP_WEIGHT = 2
_OUTSIDE_HOW = "the budget line says what one token takes on this rank"


def settle(start: StartBuilder, outcome: Outcome) -> None:
    """Add everything that needs the whole start."""
    _platform(start)
    _dumps(start)
    _pools(start)
    _sizes(start)
    _graphs(start)
    _one_rank(start)
    _gpus(start)
    _checkpoint_folder(start)
    _outcome(start, outcome)
    for milestone, record in start.reached.items():
        start.collector.append("clue.log_reached", milestone, [start.collector.origin(record, 0, "milestone")])


def _platform(start: StartBuilder) -> None:
    if start.first_own is not None:
        origin = start.collector.origin(start.first_own, 0, "platform")
        start.collector.add("engine.platform", "cuda", "inferred", [origin], how="TensorRT-LLM runs on CUDA devices only")


def _dumps(start: StartBuilder) -> None:
    collector = start.collector
    for dump, record in start.dumps:
        for said in llm_args.said(dump):
            origin = collector.origin(record, max(0, dump.place(said.key)), "llm-args")
            collector.add(said.field, said.value, said.stage, [origin], weight=_DUMP_WEIGHT)
        origin = collector.origin(record, 0, "llm-args")
        if dump.typed:
            collector.add("run.args", dump.values, "requested", [origin])
        else:
            name = "LLM Args" if "model" in dump.values else "PyTorchConfig"
            collector.append("clue.raw_configuration", {name: dump.values}, [origin])


def _pools(start: StartBuilder) -> None:
    pools, collector = start.pools, start.collector
    if pools.cost is not None:
        value, record, at = pools.cost
        origin = collector.origin(record, at, "peak")
        collector.add("kv_cache.bytes_per_token", int(value), "observed", [origin], how=_OUTSIDE_HOW)
    if pools.size is not None:
        _add(start, "kv_cache.block_size", int(pools.size[0]), pools.size, None, weight=3)
    if pools.only_dry_run and start.life.ready is None:
        return
    for rank, pool in pools.serving().items():
        _pool(start, rank, pool)


def _pool(start: StartBuilder, rank: str | None, pool: Pool) -> None:
    if pool.tokens is not None:
        _add(start, "kv_cache.tokens", int(pool.tokens[0]), pool.tokens, rank)
    if pool.gib is not None and pool.gib[0] > 0:
        _add(start, "kv_cache.memory_gib", pool.gib[0], pool.gib, rank)
    size = int(pool.size[0]) if pool.size is not None else None
    if pool.blocks is not None and not pool.clashes and _fits(pool, size):
        _add(start, "kv_cache.blocks", int(pool.blocks[0]), pool.blocks, rank)
    if pool.length is not None:
        _add(start, "model.max_len", int(pool.length[0]), pool.length, None, weight=1)
    if pool.secondary is not None and pool.secondary[0] > 0:
        _add(start, "kv_cache.offload", "host_cache", pool.secondary, None, weight=3)


def _fits(pool: Pool, size: int | None) -> bool:
    """Whether blocks × block size is the printed capacity: otherwise the blocks are of several pools."""
    return pool.tokens is None or pool.blocks is None or size is None or pool.blocks[0] * size == pool.tokens[0]


def _add(start: StartBuilder, field: str, value: float | str | None, seen: Seen, rank: str | None, *, weight: int = 0) -> None:
    origin = start.collector.origin(seen[1], seen[2], "pool")
    start.collector.add(field, value, "observed", [origin], scope=rank, weight=weight)


def _sizes(start: StartBuilder) -> None:
    """The line of the final sizes; the dry run's tells the same of batches, and of lengths unless its pool shortened them."""
    pools, collector = start.pools, start.collector
    dry = not pools.sizes_of_round or (pools.only_dry_run and start.life.ready is None)
    if pools.sizes is not None:
        match, record = pools.sizes
        origin, groups = collector.origin(record, 0, "sizes"), match.groups
        collector.add("scheduler.max_num_seqs", int(groups.get("batch") or groups["requests"]), "observed", [origin])
        collector.add("scheduler.max_num_batched_tokens", int(groups["tokens"]), "observed", [origin])
        if not dry or not pools.shortened_once:
            collector.add("model.max_len", int(groups["length"]), "observed", [origin], weight=3)
    if dry and pools.loading is not None:
        return
    for record in pools.shortened:
        length = integer(record.message.rpartition(" ")[2])
        if length is None:
            continue
        origin = collector.origin(record, 0, "shortened")
        collector.add("model.max_len", length, "observed", [origin], weight=2, pick="last")
        collector.note("context-auto-fit", record.message[:300], [origin])
    _asked_length(start)


def _asked_length(start: StartBuilder) -> None:
    """What was asked for, where less is served: the engine adds a few tokens to it otherwise."""
    served = start.collector.value("model.max_len")
    for dump, record in start.dumps:
        asked = llm_args.asked_length(dump)
        if asked is not None and isinstance(served, int) and served < asked:
            origin = start.collector.origin(record, dump.place("max_seq_len"), "llm-args")
            start.collector.add("model.max_len", asked, "requested", [origin])


def _graphs(start: StartBuilder) -> None:
    if start.largest_graph is None:
        return
    batch, record = start.largest_graph
    origin = start.collector.origin(record, 0, "graph-warmup")
    start.collector.add("graphs.capture_max", batch, "observed", [origin])
    start.collector.add("graphs.enforce_eager", False, "observed", [origin])


def _one_rank(start: StartBuilder) -> None:
    """One rank, where every sign of several is missing.

    Each rank prints its own pool lines, the parent and each worker print the banner, each worker says that it joined the MPI
    session, and from two ranks on Python's lines carry the rank.
    """
    collector, pools = start.collector, start.pools
    known = collector.value("parallel.tensor") is not None or collector.value("parallel.gpus") is not None
    complete = start.banners in (1, 2) and start.launched and pools.finished and not start.triton
    several = start.workers > 1 or start.tagged or start.ranks - {0} or pools.most_allocations != 1
    if known or not complete or several or pools.witness is None:
        return
    origin = collector.origin(pools.witness, 0, "pool")
    how = "one rank allocated a pool, one process served, and no line carries another rank"
    for field in ("parallel.tensor", "parallel.pipeline", "parallel.gpus"):
        collector.add(field, 1, "inferred", [origin], how=how)


def _gpus(start: StartBuilder) -> None:
    collector = start.collector
    sizes = [collector.fact(f"parallel.{name}") for name in ("tensor", "pipeline")]
    context = collector.value("parallel.context")
    if collector.value("parallel.gpus") is not None or context not in (None, 1):
        return
    if all(size is not None and isinstance(size.value, int) for size in sizes):
        origins = [origin for size in sizes if size is not None for origin in size.origins]
        gpus = 1
        for size in sizes:
            gpus *= int(size.value) if size is not None else 1
        collector.add("parallel.gpus", gpus, "inferred", origins, how="tensor × pipeline")


def _checkpoint_folder(start: StartBuilder) -> None:
    """The first folder of the Hub cache is the served model's, unless a dump names another model."""
    if start.hub is None:
        return
    match, record = start.hub
    named = [dump.values.get("model") for dump, _ in start.dumps if isinstance(dump.values.get("model"), str)]
    if named and named[0] != match.values.get("model.path"):
        return
    origin = start.collector.origin(record, match.start, "hub-snapshot")
    for field, value in match.values.items():
        start.collector.add(field, value, "inferred", [origin], how="the folder of the Hub cache that was read")


def _outcome(start: StartBuilder, outcome: Outcome) -> None:
    add_outcome(start.collector, outcome, start.life.ready)
    if outcome.ready and start.life.ready:
        start.mark("ready", start.life.ready)
