"""One model runner of Ollama: the llama.cpp lines it prints, and what `ollama serve` says about it.

Room: one start. Ollama's own words count only where the runner printed nothing stronger: estimates and requests are no results.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.facts import Origin, Start
from kvaudit.parsers.llama_cpp import command
from kvaudit.parsers.llama_cpp.converters import attention, element, quantization, size
from kvaudit.parsers.llama_cpp.devices import on_host, platform
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.parts import served_load
from kvaudit.parsers.llama_cpp.start import StartBuilder
from kvaudit.parsers.ollama.serve import Serve
from kvaudit.parsers.tables import Match
from kvaudit.patterns import LatePattern

_SETTING = LatePattern(r"(?:^| )(?P<key>Parallel|BatchSize|FlashAttention|KvSize|KvCacheType):(?P<value>[^ \[\]{}]*)")
_PART_SIZES = {"GiB", "MiB", "KiB"}
_NOT_PRINTED = "Ollama's own engine does not print the type of its KV cache, and the load request leaves KvCacheType empty"


@dataclass(slots=True)
class Runner:
    """A runner while the log is read. `loading` until it started or failed: only then llama.cpp's lines are its own."""

    builder: StartBuilder
    serve: Serve | None
    flags: dict[str, str | bool] = field(default_factory=dict)
    opened: tuple[Record, Match] | None = None
    loading: bool = True
    settings: dict[str, str] = field(default_factory=dict)
    committed: tuple[Record, Match] | None = None
    parts: list[tuple[str, str, str, Record, int]] = field(default_factory=list)
    layers: tuple[str, Record, int] | None = None
    header: tuple[Record, Match] | None = None

    def read(self, record: Record, match: Match) -> None:
        """Take one of Ollama's lines about a runner in."""
        name, groups = match.row.name, match.groups
        if name == "load-request" and groups["operation"] == "commit":
            self.settings = {found["key"]: found["value"] for found in _settings(groups["body"])}
            self.committed = (record, match)
        elif name == "part":
            self._part(record, match)
        elif name == "offload":
            self.layers = (f"{groups['some']}/{groups['all']}", record, match.start)
        elif name == "architecture":
            self.header = self.header or (record, match)
        elif name in ("runner-started", "load-failed", "runner-died"):
            if not (name == "runner-died" and "signal: killed" in groups.get("what", "")):
                self.builder.life.read(record, match)
            self.loading = self.loading and not (name == "runner-started" or self.builder.life.ended is not None)

    def _part(self, record: Record, match: Match) -> None:
        """Sizes per device are printed as a group, again for every attempt to fit: the last group counts."""
        part, device = match.groups["part"], match.groups["device"]
        if any(known[0] == part and known[1] == device for known in self.parts):
            self.parts = []
        self.parts.append((part, device, match.groups["size"], record, match.start))

    def finish(self, last_line: int) -> Start:
        """The start with all its facts."""
        builder = self.builder
        self._build()
        outcome = builder.settle()
        self._command()
        self._own_engine()
        self._share()
        if self.layers and builder.collector.value("offload.gpu_layers") is None:
            self._add("offload.gpu_layers", self.layers[0], self.layers[1], self.layers[2], "offload")
        if self.serve:
            self.serve.add_to(builder)
        return builder.start(outcome, last_line)

    def _build(self) -> None:
        """The build of the llama.cpp inside is no version of Ollama: keep it as `engine.build`."""
        process, collector = self.builder.process, self.builder.collector
        for said in process.values:
            if said.field == "engine.version":
                collector.add(
                    "engine.build", f"llama.cpp {said.value}", "resolved", [collector.origin(said.record, said.at, said.row)]
                )
        process.values = [said for said in process.values if said.field != "engine.version"]

    def _add(self, name: str, value: object, record: Record, at: int, reader: str) -> None:
        origin = self.builder.collector.origin(record, at, reader)
        self.builder.collector.add(name, value, "resolved", [origin])

    def _command(self) -> None:
        if self.opened is None:
            return
        record, match = self.opened
        collector = self.builder.collector
        origins = [collector.origin(record, match.start, "runner")]
        if collector.value("model.path") is None and (path := command.model(self.flags)):
            collector.add("model.path", path, "resolved", origins)
        for name, value, flag in command.requested(self.flags):
            at = max(0, record.message.find(flag))
            collector.add(name, value, "requested", [collector.origin(record, at, "runner")])
        collector.add("run.args", dict(self.flags), "requested", origins)

    def _own_engine(self) -> None:
        """Ollama's own engine prints no llama.cpp lines: the committed request and the sizes per device speak."""
        if "--ollama-engine" not in self.flags or self.committed is None:
            return
        record, match = self.committed
        collector, kv = self.builder.collector, [part for part in self.parts if part[0] == "kv cache"]
        if kv:
            self._pool(kv)
        for name, value in self._committed_values(bool(kv)):
            if collector.value(name) is None:
                self._add(name, value, record, match.start, "load-request")
        if kv and not self.settings.get("KvCacheType"):
            origin = collector.origin(record, match.start, "load-request")
            collector.append("clue.why_unknown", {"fields": ["kv_cache.dtype"], "because": _NOT_PRINTED}, [origin])
        if self.header:
            self._header(*self.header)

    def _committed_values(self, holds_cache: bool) -> list[tuple[str, object]]:
        asked = {
            key: int(value) for key, value in self.settings.items() if value.isascii() and value.isdigit() and len(value) < 19
        }
        values: list[tuple[str, object]] = []
        if "Parallel" in asked:
            values.append(("scheduler.max_num_seqs", asked["Parallel"]))
        if "BatchSize" in asked:
            values.append(("scheduler.max_num_batched_tokens", asked["BatchSize"]))
        if (backend := attention(self.settings.get("FlashAttention", ""))) and backend != "auto":
            values.append(("attention.backend", backend))
        if "KvSize" in asked and asked.get("Parallel"):
            values.append(("model.max_len", asked["KvSize"] // asked["Parallel"]))
        if holds_cache and "KvSize" in asked:
            values.append(("kv_cache.tokens", asked["KvSize"]))
        if holds_cache and (kind := self.settings.get("KvCacheType")):
            values.append(("kv_cache.dtype", element(kind)))
        return values

    def _pool(self, kv: list[tuple[str, str, str, Record, int]]) -> None:
        collector = self.builder.collector
        origins: list[Origin] = [collector.origin(record, at, "part") for _, _, _, record, at in kv]
        sizes = [size(words) for _, _, words, _, _ in kv]
        if all(one is not None for one in sizes):
            collector.add("kv_cache.memory_gib", sum(one for one in sizes if one is not None), "observed", origins)
        sides = {on_host(device) for _, device, _, _, _ in kv}
        where = "mixed" if len(sides) > 1 else "cpu" if True in sides else "gpu"
        collector.add("kv_cache.placement", where, "observed", origins)
        if name := next((name for _, device, _, _, _ in kv if (name := platform(device))), None):
            collector.add("engine.platform", name, "observed", origins)

    def _header(self, record: Record, match: Match) -> None:
        collector = self.builder.collector
        if collector.value("model.architecture") is None:
            self._add("model.architecture", match.groups["name"], record, match.start, "architecture")
        if collector.value("model.quantization") is None and (kind := quantization(match.groups["type"])):
            self._add("model.quantization", kind, record, match.start, "architecture")

    def _share(self) -> None:
        """Older runners print neither slots nor sequences: the context divided by `--parallel` is what a request gets."""
        collector, builder = self.builder.collector, self.builder
        load = served_load(builder.loads, builder.path)
        context = load.served if load else None
        slots = collector.value("scheduler.max_num_seqs")
        cells = context.numbers.get("n_ctx") if context else None
        if (
            context is None
            or not cells
            or not isinstance(slots, int)
            or slots < 1
            or collector.value("model.max_len") is not None
        ):
            return
        cache = context.caches.full
        if cache:
            origins = [collector.origin(cache.record, cache.at, "kv-size")]
            collector.add(
                "model.max_len", cells // slots, "inferred", origins, how=f"n_ctx {cells:,} ÷ {slots} parallel requests"
            )


def _settings(body: str) -> list[dict[str, str]]:
    return [match.groupdict() for match in _SETTING.finditer(body)]
