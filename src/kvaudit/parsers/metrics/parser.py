"""A metrics dump: which engine wrote it, and what its metrics say.

Room: `parsers`. Format: Prometheus text exposition and OpenMetrics, as vLLM, SGLang, TensorRT-LLM (`/prometheus/metrics`),
Triton, llama.cpp and TGI serve it, as the DCGM exporter does for GPUs; whole, grepped, appended to one file, or with the HTTP
head or progress table of the client that fetched it.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Fact, Origin, Reading, Unparsed
from kvaudit.parsers.metrics import dcgm, sglang, tensorrt_llm, vllm
from kvaudit.parsers.metrics.exposition import Sample, Scrape, sample_of, scrapes
from kvaudit.parsers.metrics.names import ENGINES, OTHERS
from kvaudit.parsers.metrics.tally import Locate, counters_fact
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_TYPE_LINE = LatePattern(r"(?m)^(?:.{0,400}\d)?# (?:TYPE|HELP) [A-Za-z_:][A-Za-z0-9_:]* \S")
_PROCESS_START = LatePattern(r"(?mi)^Process-Start-Time-Unix:\s*(\d{1,16})\s*$")
_FACTS = {"vllm": vllm.facts_of, "sglang": sglang.facts_of, "tensorrt_llm": tensorrt_llm.facts_of}
_SHARE = 0.8
_MOST_SCRAPES = 16
_MOST_ODD = 20
_PREFIXES = tuple(prefix for prefix, _ in ENGINES) + OTHERS


class MetricsDump:
    """Reads metrics dumps."""

    name = "metrics"
    kind = "metrics"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Nearly every line a sample or comment, and either comments that name metrics or metrics that name an engine."""
        head = source.head
        if "# TYPE " not in head and "# HELP " not in head and not any(prefix in head for prefix in _PREFIXES):
            return 0.0
        lines = [line.rstrip("\r") for line in head.split("\n") if line.strip()]
        found = [None if one is None or one.name.endswith(":") else one for one in (sample_of(line, 0) for line in lines)]
        telling = sum(one is not None or line[0] == "#" for one, line in zip(found, lines, strict=True))
        known = any(one is not None and one.name.startswith(_PREFIXES) for one in found)
        commented = len(_TYPE_LINE.findall(head)) >= 2 and any(found)
        return 0.9 if (commented or known) and telling >= _SHARE * (len(lines) - _of_client(lines)) else 0.0

    def read(self, source: Source) -> Reading:
        """The facts of the dump, one clue of counters a scrape, and notes of what is cut, odd or not read."""
        text = source.text() or ""
        found = scrapes(text)
        reading = Reading(kind=self.kind)

        def locate(sample: Sample, word: str) -> Origin:
            excerpt = source.excerpt(sample.text, max(0, sample.text.find(word)))
            return Origin(file=source.path, line=sample.line, excerpt=excerpt, reader=self.name)

        started = _started(source)
        told = [(scrape, *_engine(scrape.samples)) for scrape in found if any(map(_is_told, scrape.samples))]
        for scrape, engine, first in _shown(told, reading):
            reading.engine = reading.engine or engine
            reading.facts += _facts(scrape, engine, first, locate)
            counted = counters_fact(scrape, engine or "lmcache", source.path, started, locate)
            reading.facts += [counted] if counted else []
        _note(reading, found, source)
        return reading


def _started(source: Source) -> float | None:
    """The start of llama.cpp by its own clock, from the HTTP head: it tells one process from another and is no time."""
    match = _PROCESS_START.search(source.head) if source.head.startswith("HTTP/") else None
    return float(match.group(1)) if match else None


_Told = tuple[Scrape, str | None, Sample | None]


def _shown(told: list[_Told], reading: Reading) -> list[_Told]:
    """The scrapes whose counters are kept: all of a few, the first and the last of many."""
    if len(told) > 1:
        reading.notes.append(f"{len(told)} scrapes in one file")
    return told if len(told) <= _MOST_SCRAPES else [told[0], told[-1]]


def _of_client(lines: list[str]) -> int:
    """Lines in front of the dump that the client wrote: an HTTP head, curl's progress table."""
    if not lines[0].startswith(("HTTP/", "  % Total", "% Total")):
        return 0
    return next((number for number, line in enumerate(lines) if line[0] == "#" or sample_of(line, 0)), 0)


def _is_told(sample: Sample) -> bool:
    return sample.name.startswith(_PREFIXES)


def _engine(samples: list[Sample]) -> tuple[str | None, Sample | None]:
    for sample in samples:
        for prefix, engine in ENGINES:
            if sample.name.startswith(prefix):
                return engine, sample
    return None, None


def _facts(scrape: Scrape, engine: str | None, first: Sample | None, locate: Locate) -> list[Fact]:
    out: list[Fact] = []
    if engine and first:
        out.append(fact("engine.name", engine, "observed", [locate(first, first.name)]))
    if engine in _FACTS:
        out += _FACTS[engine](scrape.samples, locate)
    return [*out, *dcgm.facts_of(scrape.samples, locate)]


def _note(reading: Reading, found: list[Scrape], source: Source) -> None:
    names = [one.name for scrape in found for one in scrape.samples]
    if reading.engine is None:
        exporters = [prefix.rstrip(":_") for prefix in OTHERS if any(name.startswith(prefix) for name in names)]
        reading.notes.append(f"metrics of no engine ({', '.join(exporters) or 'unknown exporter'})")
    elif reading.engine not in _FACTS and reading.engine != "llama_cpp":
        reading.notes.append("of these metrics only the engine is read")
    if any(scrape.cut for scrape in found):
        reading.notes.append("the dump breaks off; what it may hold in part is not read")
    odd = [one for scrape in found for one in scrape.odd]
    if odd:
        count = "one line is" if len(odd) == 1 else f"{len(odd)} lines are"
        reading.notes.append(f"{count} no sample, the first is line {odd[0][0]}")
    reading.unparsed += [Unparsed(line=number, excerpt=source.excerpt(line)) for number, line in odd[:_MOST_ODD]]
