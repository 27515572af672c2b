"""From the lines of a document to records with their matched rows: cut ends, broken lines, lines that do not read.

Room: the step that llama.cpp and Ollama share before lines are given to starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kvaudit.parsers.facts import Unparsed
from kvaudit.parsers.llama_cpp import messages, rows
from kvaudit.parsers.llama_cpp.joining import continued
from kvaudit.parsers.llama_cpp.messages import Record
from kvaudit.parsers.llama_cpp.start import Found, find, whole
from kvaudit.parsers.tables import Row
from kvaudit.sources.lines import Line
from kvaudit.sources.source import Source

_MOST_UNPARSED = 20


class Reader:
    """One pass over the lines of a source; `unparsed` and `notes` fill while it runs."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.unparsed: list[Unparsed] = []
        self.notes: list[str] = []
        self._cut = 0 if source.data is None or source.data.endswith(b"\n") else source.lines

    def records(self, lines: Iterable[Line]) -> Iterator[tuple[Record, Found]]:
        """Every record, with the rows that match it."""
        for line in lines:
            record = messages.record(line)
            if record is None:
                continue
            found = whole(record.message) if record.number == self._cut else find(record.message)
            if loud := _unread(record.message, found):
                found = self._repaired(record, found, loud)
            yield record, found

    def _repaired(self, record: Record, found: Found, loud: Row) -> Found:
        """The rows of a line together with those that continue it; else the line is shown as one that does not read."""
        for count, joined in continued(self.source, record.number, record.message):
            again = find(joined)
            if loud.name in again.names:
                lines = "line that continues" if count == 1 else f"{count} lines that continue"
                self.notes.append(f"line {record.number} was read together with the {lines} it")
                return again
        if len(self.unparsed) < _MOST_UNPARSED:
            at = max(0, record.message.find(loud.hint.decode("ascii")))
            self.unparsed.append(Unparsed(line=record.number, excerpt=self.source.excerpt(record.line, record.position + at)))
        return found


def _unread(message: str, found: Found) -> Row | None:
    """A row about the KV cache whose hint is there and whose pattern does not match, where no other such row reads the line."""
    if found.names & rows.LOUD:
        return None
    return next((row for row in rows.CONTEXT.rows if row.name in rows.LOUD and row.hint.decode("ascii") in message), None)
