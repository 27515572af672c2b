"""Time stamps of log lines as seconds, so that two of one kind can be subtracted.

Room: `parsers.services`. Kinds are never mixed: a stamp without a year or zone only compares with its like.
"""

from __future__ import annotations

from collections.abc import Callable

from kvaudit.patterns import LatePattern

_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, start=1)}
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAY = 86_400

_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("realtime", r'__REALTIME_TIMESTAMP"?\s?[:=]\s?"?(?P<micro>\d{15,17})'),
    ("iso", rf"\b(?P<year>\d{{4}})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ]{_CLOCK}"),
    ("trt", rf"\[(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{{4}})-{_CLOCK}\]"),
    ("vllm", rf"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (?P<month>\d\d)-(?P<day>\d\d) {_CLOCK}"),
    ("short", rf"\b(?P<word>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}"),
    ("llama", r"^(?P<minute>\d{1,6})\.(?P<second>\d\d)\.(?P<milli>\d{3})\.(?P<micro>\d{3}) [A-Z] "),
)
"""journald JSON and export; ISO 8601 (journald, docker, SGLang); TensorRT-LLM; vLLM; syslog; llama.cpp since its start."""

_COMPILED = tuple((kind, LatePattern(pattern)) for kind, pattern in _PATTERNS)
_LONGEST = 2_000


def stamps(line: str) -> dict[str, float]:
    """Seconds of the first stamp of each kind in a line."""
    found = {}
    for kind, pattern in _COMPILED:
        if match := pattern.search(line[:_LONGEST]):
            held = {name: text for name, text in match.groupdict().items() if text is not None}
            found[kind] = _SECONDS.get(kind, _calendar)(held)
    return found


def _calendar(held: dict[str, str]) -> float:
    month = _MONTHS[held["word"]] if "word" in held else int(held["month"])
    year = int(held.get("year", "2001"))
    days = year * 365 + (year - 1) // 4 + _BEFORE_MONTH[min(max(month, 1), 12) - 1] + int(held["day"])
    days += int(month > 2 and year % 4 == 0)
    clock = int(held["hour"]) * 3600 + int(held["minute"]) * 60 + int(held["second"])
    return days * _DAY + clock + float(f"0.{held.get('fraction', '0')}")


def _since_start(held: dict[str, str]) -> float:
    return int(held["minute"]) * 60 + int(held["second"]) + int(held["milli"]) / 1e3 + int(held["micro"]) / 1e6


_SECONDS: dict[str, Callable[[dict[str, str]], float]] = {
    "llama": _since_start,
    "realtime": lambda held: int(held["micro"]) / 1e6,
}


def elapsed(first: str, last: str) -> float | None:
    """Seconds from one line's stamp to the other's, None without a common kind or where time runs backwards."""
    start, end = stamps(first), stamps(last)
    common = next((kind for kind, _ in _PATTERNS if kind in start and kind in end), None)
    if common is None or end[common] < start[common]:
        return None
    return round(end[common] - start[common], 3)
