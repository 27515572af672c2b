"""Runs become facts: the run as a whole as a clue, and the quantities that have a field of their own.

Room: `parsers.results`. Places are looked up for all figures of a run at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.checkpoint.values import words
from kvaudit.parsers.facts import RUN_CLUE, Fact, Origin
from kvaudit.parsers.results.figures import MOST_ROWS, Draft, ServerFact
from kvaudit.parsers.results.run import Run
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

MEASURED = words(
    """
    completed failed duration input_tokens output_tokens cached_tokens request_throughput output_throughput total_throughput
    concurrency accept_length ttft.mean ttft.p99 tpot.mean itl.mean itl.p99 e2e.mean e2e.p99
    """
)
"""Quantities that were measured and have a field; every other one with a field was asked for."""

_WINDOW = 1 << 12


@dataclass(slots=True)
class Teller:
    """Turns the drafts of one source, whose text is at hand, into facts. `reader` names the format."""

    source: Source
    reader: str
    text: str

    def told(self, draft: Draft, found: dict[str, Place], number: int) -> list[Fact]:
        """The facts of one draft, without what it says of the server; `number` is its place in the file, 1-based."""
        run = run_of(draft, self.source.path, found)
        origin = self._origin(draft.pointer, found[draft.pointer])
        scope = f"{self.source.path} run {number}"
        facts = [fact(RUN_CLUE, run.model_dump(), "observed", [origin], scope=scope)]
        for field, value, stage, pointer in _fields_of(run):
            at = pointer if pointer is not None else draft.pointer
            facts.append(fact(field, value, stage, [self._origin(at, found[at])], scope=scope))
        return facts

    def of_server(self, said: ServerFact, place: Place) -> Fact:
        """A fact of the server."""
        return fact(said.field, said.value, said.stage, [self._origin(said.pointer, place)], how=said.how)

    def _origin(self, pointer: str, place: Place) -> Origin:
        earliest = max(0, place.start - _WINDOW)
        begin = max(self.text.rfind("\n", earliest, place.start) + 1, earliest)
        end = self.text.find("\n", place.start, place.start + _WINDOW)
        line = self.text[begin : end if end >= 0 else place.start + _WINDOW]
        excerpt = self.source.excerpt(line, place.start - begin)
        return Origin(file=self.source.path, line=place.line, pointer=pointer, excerpt=excerpt, reader=self.reader)


def wanted_of(draft: Draft) -> list[str]:
    """The pointers whose places a draft needs."""
    figures = [value.pointer or "" for value in draft.values.values()]
    return [draft.pointer, *figures, *(one.pointer for one in draft.server)]


def run_of(draft: Draft, path: str, found: dict[str, Place]) -> Run:
    """The run of a draft, every figure with its line."""
    values = {
        name: value.model_copy(update={"line": found[value.pointer or ""].line}) for name, value in sorted(draft.values.items())
    }
    return Run(
        tool=draft.tool,
        tool_version=draft.tool_version,
        file=path,
        pointer=draft.pointer or None,
        line=found[draft.pointer].line,
        label=draft.label,
        model=draft.model,
        started=draft.started,
        values=values,
        requests=draft.requests[:MOST_ROWS],
    )


def _fields_of(run: Run) -> Iterable[tuple[str, str | float | bool, Stage, str | None]]:
    """Field, value, stage and pointer of every quantity that has a field."""
    yield "result.tool", run.tool, "observed", None
    if run.model is not None:
        yield "result.model", run.model, "requested", None
    for name, value in run.values.items():
        field = field_of(name)
        if field in FIELDS:
            yield field, value.value, "observed" if name in MEASURED else "requested", value.pointer


def field_of(quantity: str) -> str:
    """The field of a quantity, registered or not."""
    return f"result.{quantity.replace('.', '_')}"
