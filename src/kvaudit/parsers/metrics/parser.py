"""A metrics dump: which engine wrote it, and what its metrics say.

Room: `parsers`. Format: Prometheus text exposition, as vLLM, SGLang, TensorRT-LLM and llama.cpp serve it under `/metrics`.
Values of vLLM are read; of the others the engine is told.
"""

from __future__ import annotations

import re2

from kvaudit.parsers.facts import Fact, Origin, Reading
from kvaudit.parsers.metrics.exposition import Sample, samples
from kvaudit.parsers.metrics.vllm import facts_of
from kvaudit.parsers.tables import fact
from kvaudit.sources.source import Source

_TYPE_LINE = re2.compile(r"(?m)^# (?:TYPE|HELP) [A-Za-z_:][A-Za-z0-9_:]* \S")
_SAMPLE = re2.compile(r"(?m)^[A-Za-z_:][A-Za-z0-9_:]*(?:\{[^\n]*\})? [-+0-9.eEINFNa]+\s*$")
_ENGINES = (("vllm:", "vllm"), ("sglang:", "sglang"), ("trtllm_", "tensorrt_llm"), ("llamacpp:", "llama_cpp"), ("tgi_", "tgi"))


class MetricsDump:
    """Reads metrics dumps."""

    name = "metrics"
    kind = "metrics"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """At least two comment lines and one sample, and the file begins with a comment or a sample."""
        head = source.head
        comments = len(_TYPE_LINE.findall(head))
        first = head.lstrip()[:1]
        return 0.9 if comments >= 2 and _SAMPLE.search(head) and (first == "#" or first.isalpha()) else 0.0

    def read(self, source: Source) -> Reading:
        """The facts of the dump; a note where its engine's metrics are not read."""
        found = list(samples(source.text() or ""))

        def locate(sample: Sample, word: str) -> Origin:
            excerpt = source.excerpt(sample.text, max(0, sample.text.find(word)))
            return Origin(file=source.path, line=sample.line, excerpt=excerpt, reader=self.name)

        engine, first = _engine(found)
        facts: list[Fact] = []
        notes = []
        if engine and first:
            facts.append(fact("engine.name", engine, "observed", [locate(first, first.name)]))
        if engine == "vllm":
            facts += facts_of(found, locate)
        else:
            notes.append("of these metrics only the engine is read")
        return Reading(kind=self.kind, engine=engine, facts=facts, notes=notes)


def _engine(found: list[Sample]) -> tuple[str | None, Sample | None]:
    for sample in found:
        for prefix, engine in _ENGINES:
            if sample.name.startswith(prefix):
                return engine, sample
    return None, None
