"""Result files in JSON or YAML: one run, one run per line, or a list of runs.

Room: `parsers.results`. Recognised by the keys of the document, never by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import Place, places
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.documents import load
from kvaudit.parsers.results.facts import Teller, wanted_of
from kvaudit.parsers.results.figures import Draft, ServerFact
from kvaudit.parsers.results.formats import Format, format_of
from kvaudit.parsers.results.shape import shape_of
from kvaudit.parsers.results.yaml_documents import load_yaml, yaml_head, yaml_shape
from kvaudit.sources.source import Source

MOST_RUNS = 500
"""Most runs read of one file."""

Told = tuple[ServerFact, Place]


class ResultFile:
    """Reads result files of benchmark clients that are JSON or YAML."""

    name = "results"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.97 for a document with the tell-tale keys of one of the formats."""
        return 0.97 if _format(source) else 0.0

    def read(self, source: Source) -> Reading:
        """Every run of the file. Raises `InputError` when it is damaged or holds no run."""
        format_ = _format(source)
        if format_ is None:
            raise InputError(source.path, "no longer looks like a result file")
        reading = Reading(kind=self.kind)
        told: list[Told] = []
        count = 0
        for teller, draft, found in _drafts(source, format_, reading):
            count += 1
            if count > MOST_RUNS:
                reading.notes.append(f"only the first {MOST_RUNS} runs are read")
                break
            told += [(one, found[one.pointer]) for one in draft.server]
            reading.facts += teller.told(draft, found, count)
            reading.notes += [note for note in draft.notes if note not in reading.notes]
        if not count:
            raise InputError(source.path, f"looks like a result file of {format_.name} and holds no run")
        add_server_facts(reading, teller, told)
        return reading


def _format(source: Source) -> Format | None:
    shape = shape_of(source)
    if shape is not None:
        return format_of(shape)
    found = format_of(yaml_shape(yaml_head(source)))
    return found if found and found.yaml else None


def _drafts(source: Source, format_: Format, reading: Reading) -> Iterator[tuple[Teller, Draft, dict[str, Place]]]:
    """Each run with its teller and the places of its figures."""
    reader = f"results:{format_.name}"
    if shape_of(source) is None:
        document = load_yaml(source)
        teller = Teller(source, reader, document.text)
        drafts = list(islice(format_.drafts(document.value), MOST_RUNS + 1))
        found = document.places(_wanted(drafts))
        yield from ((teller, draft, found) for draft in drafts)
        return
    documents = load(source)
    reading.notes += documents.notes
    teller = Teller(source, reader, documents.text)
    for start, value in documents.values:
        drafts = list(islice(format_.drafts(value), MOST_RUNS + 1))
        found = places(documents.text, _wanted(drafts), start)
        yield from ((teller, draft, found) for draft in drafts)


def _wanted(drafts: list[Draft]) -> list[str]:
    """All pointers of one document at once: every search for places reads the document again."""
    return [pointer for draft in drafts for pointer in wanted_of(draft)]


def add_server_facts(reading: Reading, teller: Teller, told: list[Told]) -> None:
    """What the runs of one file say of the server, once each; where they differ they are of several servers, and say nothing."""
    values: dict[tuple[str, str], list[Told]] = {}
    for one, place in told:
        values.setdefault((one.field, one.stage), []).append((one, place))
    differing = []
    for (field, _), said in values.items():
        if any(one.value != said[0][0].value for one, _ in said):
            differing.append(field)
        else:
            reading.facts.append(teller.of_server(*said[0]))
    if differing:
        reading.notes.append(
            f"the runs of this file differ in {', '.join(sorted(set(differing))[:6])}: no value of them is taken"
        )
