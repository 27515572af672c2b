"""One pass over an Ollama log: which lines are the server's, which belong to which runner.

Room: attribution. While a runner loads, llama.cpp's lines are its own; before and after, they are the server's look at a
vocabulary. Warnings before a runner starts are about the runner that follows.
"""

from __future__ import annotations

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.llama_cpp import command
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.parts import served_load
from kvaudit.parsers.llama_cpp.start import Found, StartBuilder
from kvaudit.parsers.ollama import rows
from kvaudit.parsers.ollama.runner import Runner
from kvaudit.parsers.ollama.serve import Serve
from kvaudit.parsers.tables import Match
from kvaudit.sources.source import Source

_NOTICES = frozenset({"context-capped", "kv-type-fallback", "backend-fallback"})
_SERVE_OPENERS = ("server-config", "listening")


class Attribution:
    """Runs of the server and its runners, in order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.serves: list[Serve] = []
        self.runners: list[Runner] = []
        self.pending: list[tuple[Record, Match]] = []
        self.head: StartBuilder | None = None

    def take(self, record: Record, found: Found) -> None:
        """Take one record in: the server's rows, its rows about runners, and what llama.cpp printed."""
        for match in rows.SERVE.matches(record.message):
            if isinstance(match, Match) and match.row.name != "address-in-use":
                self._serve(record, match)
        for match in rows.RUNNER.matches(record.message):
            if isinstance(match, Match):
                self._runner(record, match)
        if found.names:
            self._printed(record, found)

    def _serve(self, record: Record, match: Match) -> None:
        name = match.row.name
        seen = self.serves[-1].seen if self.serves else {name}
        if not self.serves or (name in _SERVE_OPENERS and name in seen) or (name == "server-config" and "listening" in seen):
            self.serves.append(Serve(record.number, record))
        self.serves[-1].read(record, match)

    def _runner(self, record: Record, match: Match) -> None:
        name = match.row.name
        if name == "runner":
            found = command.flags(match.groups["command"])
            if command.model(found) is not None:
                self._open(record, match, found)
        elif name in _NOTICES or (name == "offload" and not (self.runners and self.runners[-1].loading)):
            self.pending.append((record, match))
        elif self.runners:
            self.runners[-1].read(record, match)

    def _open(self, record: Record, match: Match, found: dict[str, str | bool]) -> None:
        self._keep_head()
        builder = StartBuilder(Collector(self.source, "ollama"), first_line=record.number, first=record, serves_alone=False)
        runner = Runner(builder, self.serves[-1] if self.serves else None, found, (record, match))
        for earlier, said in self.pending:
            if said.row.name in _NOTICES:
                builder.notices.append((said.row.name, earlier, said))
            else:
                runner.read(earlier, said)
        self.pending = []
        self.runners.append(runner)

    def _printed(self, record: Record, found: Found) -> None:
        if not self.runners:
            self.head = self.head or StartBuilder(Collector(self.source, "ollama"), record.number, record, serves_alone=False)
            self.head.take(record, found)
            return
        runner = self.runners[-1]
        if runner.loading:
            runner.builder.take(record, found)
            runner.loading = runner.builder.life.ready is None and runner.builder.life.ended is None
        elif found.life:
            runner.builder.take(record, Found(life=found.life))

    def _keep_head(self) -> None:
        """Lines before the first runner that is named: a runner of its own where they hold a KV cache, else a vocabulary."""
        if self.head is None or self.runners:
            return
        load = served_load(self.head.loads, self.head.path)
        if load and load.served and load.served.holds_cache:
            self.runners.append(Runner(self.head, self.serves[-1] if self.serves else None))

    def finish(self) -> list[Runner | Serve]:
        """The starts: the runners, or the runs of a server that loaded no model."""
        self._keep_head()
        return list(self.runners) or list(self.serves)
