"""A whole llama.cpp log: hit lines to records, records to starts, starts to facts.

Room: `parsers.llama_cpp`, loaded when a log of this engine is read; every step has its own module.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.llama_cpp.reading import Reader
from kvaudit.parsers.llama_cpp.silence import TOO_EARLY
from kvaudit.parsers.llama_cpp.splitter import Splitter
from kvaudit.parsers.llama_cpp.start import StartBuilder
from kvaudit.parsers.log_reading import reading_of
from kvaudit.sources.lines import hit_lines
from kvaudit.sources.source import Source

_MOST_STARTS_SHOWN = 20


def read(source: Source) -> Reading:
    """The facts, starts, unparsed lines and notes of one log."""
    splitter, reader = Splitter(source), Reader(source)
    for record, found in reader.records(hit_lines(source)):
        if found.names:
            splitter.assign(record, found).take(record, found)
    return _reading(source, splitter.finish(), reader)


def _reading(source: Source, found: list[tuple[StartBuilder, int]], reader: Reader) -> Reading:
    starts = [builder.start(builder.settle(), last) for builder, last in found]
    builders = [builder for builder, _ in found]
    begins = [builder.collector.origin(builder.first, 0, "start") for builder in builders[:_MOST_STARTS_SHOWN] if builder.first]
    said = [*reader.notes, *notes(builders)]
    return reading_of(source, "llama_cpp", starts, named=begins[:1], begins=begins, unparsed=reader.unparsed, notes=said)


def notes(builders: list[StartBuilder]) -> list[str]:
    """What is wrong with the log itself, each once: why it cannot show the KV cache of a start that served."""
    clues = (fact for builder in builders for fact in builder.collector.facts() if fact.field == "clue.why_unknown")
    reasons = dict.fromkeys(str(clue.value["because"]) for clue in clues)
    return [reason for reason in reasons if reason != TOO_EARLY]
