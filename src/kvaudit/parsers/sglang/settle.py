"""Last decisions about one start, when all its lines were read: arguments, pools, graphs, what follows from them.

Room: the engine's own conventions, applied to one start. No inference about the KV dtype, none across sources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.log_reading import add_outcome
from kvaudit.parsers.outcome import Outcome
from kvaudit.parsers.sglang import arguments
from kvaudit.parsers.sglang.messages import Record
from kvaudit.parsers.tables import Match

if TYPE_CHECKING:
    from kvaudit.parsers.sglang.start import StartBuilder

_PACKAGES = ("site-packages/", "dist-packages/")


def capacity(collector: Collector, match: Match, origin: Origin) -> None:
    """The batching budget of the capacity line: the chunk, or the whole prefill where chunking is off."""
    chunk = match.groups.get("chunk", "")
    if not chunk.lstrip("-").isdigit():
        return
    size, most = int(chunk), int(match.groups["prefill"])
    collector.add("scheduler.chunked_prefill", size > 0, "observed", [origin])
    collector.add("scheduler.max_num_batched_tokens", size if size > 0 else most, "observed", [origin])


def is_served_model(start: StartBuilder, name: str) -> bool:
    """Whether a snapshot line is about the served model, not about a drafter."""
    return start.arguments is not None and start.arguments.values.get("model_path") == name


def settle(start: StartBuilder, outcome: Outcome, sampled: bool) -> None:
    """Add everything that needs the whole start."""
    _arguments(start)
    _version(start)
    _device_memory(start)
    start.pools.emit(start.collector)
    start.graphs.emit(start.collector)
    _eager(start)
    caching = start.collector.value("kv_cache.prefix_caching")
    start.statistics.emit(start.collector, caching_off=caching is False, sampled=sampled)
    _retractions(start)
    _outcome(start, outcome)
    for milestone, record in start.reached.items():
        start.collector.append("clue.log_reached", milestone, [start.collector.origin(record, 0, "milestone")])


def _arguments(start: StartBuilder) -> None:
    if start.arguments is None:
        return
    record, collector = start.reached["arguments"], start.collector
    for said in arguments.said(start.arguments):
        if said.field == "kv_cache.dtype" and _chosen_by_the_model(start, said.value):
            _asked_for_nothing(start)
            continue
        origin = collector.origin(record, _place(record, said.key), "server-args")
        weight = -1 if said.field == "engine.platform" else 1
        collector.add(said.field, said.value, said.stage, [origin], how=said.how, weight=weight)
    whole = collector.origin(record, 0, "server-args")
    collector.add("run.args", arguments.given(start.arguments), "requested", [whole])
    collector.add("clue.raw_configuration", {"server_args": start.arguments.values}, "resolved", [whole])
    _kv_dtype_line(start, record)


def _place(record: Record, key: str) -> int:
    """Where a key stands in the message, in either syntax."""
    found = [record.message.find(f"{opener}{key}") for opener in ("(", " ", "{'", " '")]
    return min((place + 1 for place in found if place >= 0), default=0)


def _kv_dtype_line(start: StartBuilder, record: Record) -> None:
    """`kv_cache_dtype` as the arguments line prints it; `auto` where the engine fell back to it."""
    value = start.arguments.values.get("kv_cache_dtype") if start.arguments else None
    if value is None or _chosen_by_the_model(start, value):
        return
    origin = start.collector.origin(record, _place(record, "kv_cache_dtype"), "server-args")
    shown = "auto" if start.dtype_fallback is not None else value
    start.collector.add("clue.kv_dtype_engine_line", shown, "resolved", [origin])


def _chosen_by_the_model(start: StartBuilder, value: object) -> bool:
    """Whether the engine set the element type for this model before it printed the arguments: then nobody typed it."""
    notice = start.collector.fact("clue.kv_dtype_notice")
    return notice is not None and str(value).startswith(str(notice.value)[:3])


def _asked_for_nothing(start: StartBuilder) -> None:
    notice = start.collector.fact("clue.kv_dtype_notice")
    if notice is not None:
        how = "the engine chooses for the model only where the flag was left at auto"
        start.collector.add("kv_cache.dtype", "auto", "requested", notice.origins, how=how)


def _version(start: StartBuilder) -> None:
    """A container's banner is no version of a server that runs from another source tree."""
    path = start.launch_path
    if path is not None and not any(folder in path for folder in _PACKAGES):
        start.collector.drop("engine.version", "resolved")
        start.collector.drop("engine.build", "resolved")


def _device_memory(start: StartBuilder) -> None:
    """Total memory of the device, for one GPU only.

    With several, the free memory at start is printed after communication buffers were taken, and the two do not compare.
    """
    if start.device is not None and set(start.begun) == {None}:
        mib, origin = start.device
        start.collector.add("memory.total_gib", round(mib / 1024, 3), "observed", [origin])


def _eager(start: StartBuilder) -> None:
    """Decode lines of a ready server say whether they ran on graphs, where no capture was seen."""
    collector, statistics = start.collector, start.statistics
    if start.graphs.decoding is not None or statistics.off_graph is None or "arguments" not in start.reached:
        return
    if statistics.on_graph:
        how = "decode batches ran on graphs"
        collector.add(
            "graphs.enforce_eager", False, "observed", [collector.origin(statistics.off_graph, 0, "batch-line")], how=how
        )
    elif start.life.ready is not None:
        how = "the server became ready without a capture, and no decode batch ran on a graph"
        origin = collector.origin(statistics.off_graph, 0, "batch-line")
        collector.add("graphs.enforce_eager", True, "observed", [origin], how=how)


def _retractions(start: StartBuilder) -> None:
    """Retracted requests; none where a log of a served start holds decode lines and no retraction."""
    collector = start.collector
    if start.retraction is not None:
        origin = collector.origin(start.retraction, 0, "retraction")
        collector.add("runtime.preemptions", start.retracted, "observed", [origin], how="sum over the retraction lines")
    elif start.statistics.decoded is not None and {"arguments", "capacity"} <= start.reached.keys() and start.life.ready:
        origin = collector.origin(start.statistics.decoded, 0, "batch-line")
        collector.add("runtime.preemptions", 0, "inferred", [origin], how="decode lines, and no retraction line")


def _outcome(start: StartBuilder, outcome: Outcome) -> None:
    add_outcome(start.collector, outcome, start.life.ready, start.life.stopped_at)
    if outcome.ready and start.life.ready:
        start.mark("ready", start.life.ready)
