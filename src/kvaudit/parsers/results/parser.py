"""Result files in JSON: one run, one run per line, or a list of runs.

Room: `parsers.results`. Recognised by the keys of the document, never by its name.
"""

from __future__ import annotations

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.documents import load
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.formats import format_of
from kvaudit.parsers.results.shape import shape_of
from kvaudit.sources.source import Source

MOST_RUNS = 500
"""Most runs read of one file."""


class ResultFile:
    """Reads result files of benchmark clients that are JSON."""

    name = "results"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.97 for a document with the tell-tale keys of one of the formats."""
        return 0.97 if format_of(shape_of(source)) else 0.0

    def read(self, source: Source) -> Reading:
        """Every run of the file. Raises `InputError` when it is damaged or holds no run."""
        format_ = format_of(shape_of(source))
        if format_ is None:
            raise InputError(source.path, "no longer looks like a result file")
        documents = load(source)
        teller = Teller(source, f"results:{format_.name}", documents.text)
        reading = Reading(kind=self.kind, notes=list(documents.notes))
        count = 0
        for start, value in documents.values:
            for draft in format_.drafts(value):
                count += 1
                if count <= MOST_RUNS:
                    reading.facts += teller.facts(draft, start, count)
                    reading.notes += [note for note in draft.notes if note not in reading.notes]
        if not count:
            raise InputError(source.path, f"looks like a result file of {format_.name} and holds no run")
        if count > MOST_RUNS:
            reading.notes.append(f"only the first {MOST_RUNS} of {count} runs are read")
        return reading
