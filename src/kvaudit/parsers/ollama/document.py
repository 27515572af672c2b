"""A whole log of Ollama: hit lines to records, records to runners, runners to facts.

Room: `parsers.ollama`, loaded when a log of it is read. A start is a model runner; a log without one holds starts of the server.
"""

from __future__ import annotations

from dataclasses import replace

from kvaudit.parsers.collector import Collector
from kvaudit.parsers.facts import Origin, Reading, Start
from kvaudit.parsers.llama_cpp.reading import Reader
from kvaudit.parsers.llama_cpp.start import StartBuilder
from kvaudit.parsers.log_reading import reading_of
from kvaudit.parsers.ollama import unwrapping
from kvaudit.parsers.ollama.reader import Attribution
from kvaudit.parsers.ollama.runner import Runner
from kvaudit.parsers.ollama.serve import Serve
from kvaudit.sources.source import Source

_MOST_STARTS_SHOWN = 20
_NO_RUNNER = "no model was loaded: the log holds the server alone"


def read(source: Source) -> Reading:
    """The facts, starts and notes of one log."""
    attribution, reader = Attribution(source), Reader(source)
    for record, matched in reader.records(unwrapping.lines(source)):
        attribution.take(record, matched)
    found = attribution.finish()
    starts = []
    for index, one in enumerate(found):
        last = _first_line(found[index + 1]) - 1 if index + 1 < len(found) else source.lines
        starts.append(one.finish(last) if isinstance(one, Runner) else _without_runner(one, source, last))
    begins = _begins(source, found)
    said = [] if attribution.runners else [_NO_RUNNER]
    return reading_of(source, "ollama", starts, named=begins[:1], begins=begins, notes=said)


def _first_line(one: Runner | Serve) -> int:
    return one.builder.first_line if isinstance(one, Runner) else one.first_line


def _without_runner(serve: Serve, source: Source, last_line: int) -> Start:
    """A run of the server that loaded no model: it listens, and that is all it proves."""
    builder = StartBuilder(Collector(source, "ollama"), serve.first_line, serve.first, serves_alone=False)
    serve.add_to(builder)
    start = builder.start(builder.life.outcome(), last_line)
    return replace(start, outcome="no model was loaded")


def _begins(source: Source, found: list[Runner | Serve]) -> list[Origin]:
    collector = Collector(source, "ollama")
    firsts = [one.builder.first if isinstance(one, Runner) else one.first for one in found[:_MOST_STARTS_SHOWN]]
    return [collector.origin(record, 0, "start") for record in firsts if record]
