"""One run of `ollama serve`: its version, its GPUs, the environment it echoes.

Room: what holds for every runner of this run. GPUs that a runner does not use say nothing about its memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.llama_cpp import command
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.start import StartBuilder
from kvaudit.parsers.tables import Match

_KV_TYPE = "OLLAMA_KV_CACHE_TYPE"


@dataclass(slots=True)
class Serve:
    """A run of the server while the log is read."""

    first_line: int
    first: Record
    seen: set[str] = field(default_factory=set)
    matches: list[tuple[Record, Match]] = field(default_factory=list)

    def read(self, record: Record, match: Match) -> None:
        """Take one of the server's lines in."""
        self.seen.add(match.row.name)
        if len(self.matches) < 200:
            self.matches.append((record, match))

    def add_to(self, builder: StartBuilder) -> None:
        """Add the server's facts to a runner's, or to those of a run without runners."""
        collector = builder.collector
        used = {device.name for device in builder.devices if device.used}
        known = collector.value("engine.platform") is not None
        for record, match in self.matches:
            origins = [collector.origin(record, match.start, match.row.name)]
            scope = _gpu(record, match)
            for name, value in match.values.items():
                if name == "engine.platform" and known:
                    continue
                if name.startswith("memory.") and (_foreign(record, used) or "library=cpu" in record.message):
                    continue
                if (name == "memory.free_at_start_gib" and used) or _said(collector, name, scope):
                    continue
                collector.add(name, value, match.row.stage, origins, scope=scope if name.startswith("memory.") else None)
            if match.row.name == "server-config" and (kind := command.environment(match.groups["body"], _KV_TYPE)):
                at = max(0, record.message.find(_KV_TYPE))
                collector.add("kv_cache.dtype", kind, "requested", [collector.origin(record, at, "server-config")])


def _gpu(record: Record, match: Match) -> str | None:
    """What a GPU's facts are about: its name (`CUDA0`), else its id."""
    name = _name(record)
    return name or match.groups.get("id")


def _name(record: Record) -> str | None:
    at = record.message.find(" name=")
    if at < 0 or record.message[at + 6 : at + 7] == '"':
        return None
    return record.message[at + 6 :].split(" ", 1)[0]


def _foreign(record: Record, used: set[str]) -> bool:
    """Whether a line is about a GPU that the runner does not use."""
    name = _name(record)
    return bool(used) and name is not None and name not in used


def _said(collector: Collector, name: str, scope: str | None) -> bool:
    """Whether the runner printed the memory of this device itself, to the MiB."""
    return name.startswith("memory.") and any(fact.scope == scope for fact in collector.ranked(name))
