"""A Prometheus text dump (`/metrics`): recognised, so that it is no unknown file; its values are not read yet.

Room: `parsers`. Format: Prometheus text exposition 0.0.4, as vLLM and SGLang serve it.
"""

from __future__ import annotations

import re2

from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source

_TYPE_LINE = re2.compile(r"(?m)^# (?:TYPE|HELP) [A-Za-z_:][A-Za-z0-9_:]* \S")
_SAMPLE = re2.compile(r"(?m)^[A-Za-z_:][A-Za-z0-9_:]*(?:\{[^\n]*\})? [-+0-9.eEINFNa]+\s*$")


class MetricsDump:
    """Recognises metrics dumps."""

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
        """No facts; a note says so."""
        return Reading(kind=self.kind, notes=["metrics are recognised; this version does not read their values"])
