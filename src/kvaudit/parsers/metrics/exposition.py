"""Samples of a Prometheus text dump with their line numbers.

Room: `parsers`. Format: Prometheus text exposition 0.0.4 and OpenMetrics 1.0 sample lines, with exemplars, timestamps and quoted
names. Own reading, because evidence needs the line of each sample and a dump that breaks off is still evidence; the tests hold
it against prometheus_client's parser.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from kvaudit.patterns import LatePattern

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_LABELS = rf"\{{((?:[^\"}}]|{_QUOTED})*)\}}"
_SAMPLE = LatePattern(rf"^[ \t]*([A-Za-z_:][A-Za-z0-9_:]*)?(?:{_LABELS}[ \t]*|[ \t]+)([-+0-9.eEINFNainfy]+)(?:[ \t].*)?$")
_LABEL = LatePattern(r'(?:([A-Za-z_][A-Za-z0-9_]*)|"((?:[^"\\]|\\.)*)")\s*(?:=\s*"((?:[^"\\]|\\.)*)")?')
_ESCAPE = LatePattern(r'\\([\\n"])')
_COUNTER = LatePattern(r"^# TYPE ([A-Za-z_:][A-Za-z0-9_:]*) counter$")
_HELP = LatePattern(r"^# HELP ([A-Za-z_:][A-Za-z0-9_:]*) (.*)$")
_WHOLE_NUMBER = LatePattern(r"^[0-9]+\.0$")
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Sample:
    """One sample: metric name, labels as written, value, and the 1-based line it stands on."""

    name: str
    written: str
    value: float
    line: int
    text: str

    @cached_property
    def labels(self) -> dict[str, str]:
        """Label values by name, read when somebody asks: a file of many scrapes holds a hundred thousand samples."""
        return {key: held for key, held in _labels(self.written).items() if held is not None}


@dataclass(slots=True)
class Scrape:
    """One answer of an endpoint: its samples without histogram buckets, and what it says of its metrics.

    `help` is by family name, without `_total`. `cut` holds the metrics at which the file breaks off inside this scrape: they
    may be there in part only, and a series that is not there proves nothing. `odd` are lines that are neither sample nor
    comment, behind what a client wrote in front.
    """

    samples: list[Sample] = field(default_factory=list)
    help: dict[str, str] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    odd: list[tuple[int, str]] = field(default_factory=list)
    counters: set[str] = field(default_factory=set)
    """Families declared as counters, as they are spelled."""


def samples(text: str) -> Iterator[Sample]:
    """Every sample line; comments and lines that are no sample are passed over."""
    for number, line in enumerate(text.split("\n"), start=1):
        found = sample_of(line.rstrip("\r"), number)
        if found is not None:
            yield found


def sample_of(line: str, number: int) -> Sample | None:
    """The sample that a line is; None for a comment, a value that is no finite number, or anything else."""
    if not line or line[0] == "#" or len(line) > _LONGEST_LINE:
        return None
    match = _SAMPLE.match(line)
    if match is None:
        return None
    name, written, value = match.group(1), match.group(2) or "", _number(match.group(3))
    name = name or next((key for key, held in _labels(written).items() if held is None), None)
    return Sample(name, written, value, number, line) if value is not None and name is not None else None


def scrapes(text: str) -> list[Scrape]:
    """The scrapes of a file: a series that stands there a second time begins the next one (a file that was appended to)."""
    found = [Scrape()]
    seen: set[tuple[str, str]] = set()
    lines, begun = text.split("\n"), False
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r")
        if not line or "_bucket{" in line[:200]:
            continue
        if line[0] == "#":
            begun = True
            _note_help(found[-1], line)
            continue
        sample = sample_of(line, number)
        if sample is None:
            if begun and not _is_no_number(line):
                found[-1].odd.append((number, line))
            continue
        series = (sample.name, line[: line.rfind("}") + 1])
        if series in seen:
            found.append(Scrape(help=dict(found[-1].help)))
            seen = set()
        seen.add(series)
        begun = True
        found[-1].samples.append(sample)
    _settle_end(found[-1], lines)
    return found


def _note_help(scrape: Scrape, line: str) -> None:
    match = _HELP.match(line)
    if match:
        scrape.help[match.group(1).removesuffix("_total")] = match.group(2)
    declared = _COUNTER.match(line)
    if declared:
        scrape.counters.add(declared.group(1))


def _settle_end(scrape: Scrape, lines: list[str]) -> None:
    """Note what the file breaks off in: a line that is no sample, or a number that no newline ends.

    A last number without a newline is whole where it ends in `.0`, as Python prints whole numbers.
    """
    number, last = next(((at, line) for at, line in _from_the_end(lines) if line), (0, ""))
    if not last or not scrape.samples or last.startswith("# EOF"):
        return
    ended, is_open = scrape.samples[-1], number == len(lines)
    sound = last[0] == "#" or sample_of(last, number) is not None or _is_no_number(last)
    whole = not is_open or _WHOLE_NUMBER.match(last.rsplit(maxsplit=1)[-1])
    if sound and whole and not _is_open_metrics(scrape):
        return
    scrape.cut.add(ended.name)
    if ended.line == number:
        scrape.samples.pop()
        scrape.cut |= {one.name for one in scrape.samples[-1:]}
    if scrape.odd and scrape.odd[-1][0] == number:
        scrape.odd.pop()


def _is_open_metrics(scrape: Scrape) -> bool:
    """OpenMetrics declares counters without the `_total` of their samples, and ends with a mark."""
    totals = (one.name.removesuffix("_total") for one in scrape.samples if one.name.endswith("_total"))
    return any(name in scrape.counters for name in totals)


def _from_the_end(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number in range(len(lines), max(0, len(lines) - 1000), -1):
        yield number, lines[number - 1].strip()


def _is_no_number(line: str) -> bool:
    """A sound sample whose value is NaN or infinite, as gauges of nothing are."""
    return line.rsplit(maxsplit=1)[-1].lstrip("+-").lower() in ("nan", "inf")


def _labels(text: str) -> dict[str, str | None]:
    """Label values by name; a quoted name alone, which is the metric's, has None."""
    found: dict[str, str | None] = {}
    for match in _LABEL.finditer(text):
        bare, quoted, value = match.groups()
        name = bare if bare is not None else _unescaped(quoted or "")
        if value is not None or quoted is not None:
            found[name] = _unescaped(value) if value is not None else None
    return found


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return str(_ESCAPE.sub(lambda match: "\n" if match.group(1) == "n" else match.group(1), text))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
