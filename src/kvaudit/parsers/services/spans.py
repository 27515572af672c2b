"""Time spans as systemd, compose and Kubernetes write them, in seconds.

Room: `parsers.services`. systemd.time(7): `5min 20s`, bare seconds, `infinity`.
"""

from __future__ import annotations

import math

from kvaudit.patterns import LatePattern

_PART = LatePattern(r"^\s*(\d{1,12}(?:\.\d{1,9})?)\s*([A-Za-zµ]*)")
_UNITS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("us", "µs", "usec"), 1e-6),
    **dict.fromkeys(("ms", "msec"), 1e-3),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604800.0),
}


def seconds(text: str) -> float | None:
    """Seconds of a span, infinity for `infinity`, None for anything else."""
    rest = text.strip()
    if rest == "infinity":
        return math.inf
    total, parts = 0.0, 0
    while rest:
        match = _PART.search(rest)
        if match is None or match.group(2) not in _UNITS or parts > 8:
            return None
        total += float(match.group(1)) * _UNITS[match.group(2)]
        rest = rest[match.end() :].strip()
        parts += 1
    return total if parts else None


def written(value: float) -> str:
    """A span as people write it: `300`, `0.1`, `infinity`."""
    return "infinity" if math.isinf(value) else f"{value:g}"
