"""The facts of one start, when all its lines were read: those of the process, of the served model file, of the served context.

Room: the engine's own conventions, applied to one start. Nothing is inferred from a default; a value that the log cannot show at
its verbosity stays unknown, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.llama_cpp import command, hardware, silence
from kvaudit.parsers.llama_cpp.converters import element_pair
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.outcome import Outcome
from kvaudit.parsers.llama_cpp.parts import Context, Load, Part, Value, served_load

if TYPE_CHECKING:
    from kvaudit.parsers.collector import Collector
    from kvaudit.parsers.llama_cpp.start import StartBuilder

_FORK_TYPES = {"turbo": "TurboQuant fork", "tbq": "TurboQuant fork", "tq": "TurboQuant fork", "kvarn": "KVarN fork"}
_BETTER = frozenset({"flash-resolved", "flash-forced-off"})


def settle(start: StartBuilder, outcome: Outcome) -> None:
    """Add everything that the whole start says."""
    load = served_load(start.loads, start.path)
    context = load.served if load else None
    _values(start.collector, start.process)
    _drop_idle_draft(start.collector)
    if load:
        _load(start, load)
    if context:
        _context(start.collector, context)
        _caches(start.collector, context)
        _split(start, load, context)
    _command(start)
    hardware.add(start, load, context)
    _notices(start)
    _outcome(start, outcome)
    silence.explain(start, context, outcome)


def _values(collector: Collector, part: Part, skip: frozenset[str] = frozenset()) -> None:
    for said in part.values:
        if said.field not in skip:
            _add(collector, said, said.stage)


def _add(collector: Collector, said: Value, stage: Stage) -> None:
    """One value; a word that decides nothing is only what was asked for, and a slot's own length is measured."""
    if said.value == "auto":
        stage = "requested"
    weight = 1 if said.row in _BETTER else 0
    pick = "last" if said.row == "slot" else said.pick
    origin = collector.origin(said.record, said.at, said.row)
    collector.add(said.field, said.value, stage, [origin], pick=pick, weight=weight)


def _drop_idle_draft(collector: Collector) -> None:
    """A draft model may be loaded and not used: the log then says that nothing speculates."""
    if collector.value("speculative.method") == "none":
        collector.drop("speculative.model", "resolved")


def _load(start: StartBuilder, load: Load) -> None:
    named = frozenset({"model.path"}) if start.path else frozenset()
    _values(start.collector, load, named)


def _context(collector: Collector, context: Context) -> None:
    _values(collector, context)


def _caches(collector: Collector, context: Context) -> None:
    """Types, tokens, memory and placement of the served context's caches."""
    caches = context.caches
    if caches.not_allocated:
        return
    full = caches.full
    sizes = [collector.origin(cache.record, cache.at, "kv-size") for cache in caches.sizes]
    if full:
        own = [collector.origin(full.record, full.at, "kv-size")]
        if full.key and full.value:
            collector.add("kv_cache.dtype", element_pair(full.key, full.value), "resolved", own)
            _fork(collector, full.key, own)
        if full.tokens is not None:
            collector.add("kv_cache.tokens", full.tokens, "observed", own, how=_cells(full.cells, full.streams))
        elif cells := context.numbers.get("n_ctx"):
            collector.add(
                "kv_cache.tokens", cells, "inferred", own, how="one cell per token of n_ctx, before caches printed cells"
            )
    buffers = [collector.origin(said.record, said.at, "kv-buffer") for _, said in caches.buffers]
    if caches.gib is not None:
        how = " + ".join(f"{cache.mib} MiB" for cache in caches.sizes) if len(caches.sizes) > 1 else None
        collector.add("kv_cache.memory_gib", caches.gib, "observed", sizes or buffers, how=how)
    if placement := caches.placement:
        collector.add("kv_cache.placement", placement, "observed", buffers)


def _cells(cells: int | None, streams: int) -> str | None:
    return f"{cells:,} cells × {streams} streams" if cells is not None and streams > 1 else None


def _fork(collector: Collector, name: str, origins: Sequence[Origin]) -> None:
    fork = next((fork for prefix, fork in _FORK_TYPES.items() if name.startswith(prefix)), None)
    if fork:
        collector.add("engine.build", fork, "inferred", origins, how=f"no build of llama.cpp itself knows the cache type {name}")


def _command(start: StartBuilder) -> None:
    """What the command line asked for, where a parent process echoes it."""
    if start.command is None:
        return
    flags, record = start.command
    origins = [start.collector.origin(record, 0, "command")]
    for name, value, _ in command.requested(flags):
        start.collector.add(name, value, "requested", origins)
    start.collector.add("run.args", dict(flags), "requested", origins)


def _split(start: StartBuilder, load: Load | None, context: Context) -> None:
    """An explicit `-np` divides the context: a request gets less than was asked for and less than the model can do."""
    whole, share = context.numbers.get("n_ctx"), context.numbers.get("n_ctx_seq")
    trained = context.numbers.get("n_ctx_train") or (load.numbers.get("n_ctx_train") if load else None)
    if not start.serves_alone or not whole or not share or not trained or share >= min(whole, trained):
        return
    said = next((value for value in context.values if value.row == "length"), None)
    if said:
        origins = [start.collector.origin(said.record, said.at, "context-split")]
        text = f"n_ctx = {whole} is divided among the sequences: n_ctx_seq = {share}"
        start.collector.note("context-split", text, origins)


def _notices(start: StartBuilder) -> None:
    mask = start.collector.source.redactor.mask
    for name, record, match in start.notices:
        text = mask(record.message[match.start :].strip())[:300]
        start.collector.note(name, text, [start.collector.origin(record, match.start, name)])


def _outcome(start: StartBuilder, outcome: Outcome) -> None:
    collector, ready = start.collector, start.life.ready
    cause = outcome.cause
    if outcome.ready is not None:
        record: Record | None = ready if outcome.ready else (cause.record if cause else start.life.ended)
        at = cause.at if cause and not outcome.ready else 0
        collector.add("engine.ready", outcome.ready, "observed", [collector.origin(record, at, "lifecycle")] if record else [])
    if cause:
        origin = collector.origin(cause.record, cause.at, "lifecycle")
        collector.add("engine.failure", collector.source.redactor.mask(cause.text), "observed", [origin])
        if outcome.died:
            collector.note("died-while-serving", cause.text, [origin])
