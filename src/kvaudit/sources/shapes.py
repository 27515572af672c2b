"""Prefixes that something other than the engine wrote in front of a line: container runtimes, service managers, launchers.

Room: `sources`. Strict shapes are unmistakable and are taken off wherever they stand at the start of a line. Loose shapes
(`name  | `, `12: `, `> `) also occur in ordinary text and count only where most lines of a document carry them; `detection`
decides that. An engine's own process prefix, `(EngineCore pid=7)`, is no wrapper, and neither is Ray's: they name the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from kvaudit.patterns import LatePattern

_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
_DATE_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_TIME = r"\d\d:\d\d:\d\d(?:\.\d+)?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_HOST = r"[A-Za-z0-9][\w.-]{0,200}"
_UNIT = r"[\w@./+()\\:-]{1,120}?"
_LONGEST_PREFIX = 600
_OWN_LEVEL = LatePattern(
    r"^\s{0,2}(?:TRACE|DEBUG|INFO|WARN|ERROR) +[a-zA-Z_]|^(?:TRACE|DEBUG|INFO|SUCCESS|WARNING|ERROR|CRITICAL) *\| "
)
"""What follows the stamp of a program's own log format (Rust's tracing, Python's loguru): that stamp is no wrapper."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One prefix: `pattern` stands at the start of a line, the group `service`, the only one, names whose line it is."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Loose:
    """A shape that counts only where a document is full of it; `share` of the filled lines must carry it.

    One of the literal `marks` stands in every line that `pattern` matches: other lines cost no match.
    """

    name: str
    pattern: Any
    share: float = 0.6
    marks: tuple[str, ...] = ("",)


STRICT: tuple[Shape, ...] = (
    # containerd and CRI-O: /var/log/pods/*/*.log
    Shape("cri", rf"{_STAMP} (?:stdout|stderr) [PF](?::\w+)*(?: |$)"),
    # journalctl -o short-iso, short-iso-precise
    Shape("journald-iso", rf"{_STAMP} {_HOST} {_UNIT}\[\d+\]: ?"),
    Shape("gitlab-ci", rf"{_STAMP} \d\d[OE][ +]"),
    # kubectl logs --timestamps, docker logs -t, GitHub Actions (7 digits), RunPod (9 digits)
    Shape("rfc3339", rf"{_STAMP} "),
    # journalctl, syslog
    Shape(
        "journald-short", rf"{_MONTH}\s{{1,2}}\d{{1,2}}(?: \d{{4}})? \d\d:\d\d:\d\d(?:\.\d+)? {_HOST} {_UNIT}(?:\[\d+\])?:(?: |$)"
    ),
    Shape(
        "journald-full",
        rf"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_DATE_TIME}(?:\.\d+)? [A-Z+\d:-]{{1,8}} {_HOST} {_UNIT}(?:\[\d+\])?:(?: |$)",
    ),
    Shape("journald-monotonic", rf"\[\s*\d+\.\d{{6}}\] {_HOST} {_UNIT}\[\d+\]:(?: |$)"),
    # journalctl -o verbose, -o export
    Shape("journald-verbose", r"\s{0,8}MESSAGE="),
    # kubectl logs --prefix
    Shape("kubectl-prefix", r"\[pod/(?P<service>[^\]\s]{1,300})\] ?"),
    # mpirun --tag-output, torchrun --tee
    Shape("mpirun", r"\[\d{1,6},\d{1,6}\]<std(?:out|err|diag)>: ?"),
    Shape("torchrun", r"\[default\d{1,5}\]: ?"),
    Shape("jenkins", rf"\[{_STAMP}\] "),
    Shape("docker-desktop", rf"{_DATE_TIME}\.\d{{3}} \| "),
    Shape("fastchat", rf"{_DATE_TIME} \| (?:DEBUG|INFO|WARNING|ERROR) \| std(?:out|err) \| "),
    Shape("lemonade", rf"{_DATE_TIME}\.\d{{3}} \[[A-Z][a-z]{{2,8}}\] \([A-Z]\w{{2,20}}\) "),
    Shape("pm2", r"\d{1,4}\|[\w.-]{1,80} {0,20}\| "),
    # Kaggle: seconds since the start, line number
    Shape("notebook", r"\d{1,6}\.\d{1,3}s \d{1,8}(?: |$)"),
)

COMPOSE = Loose("compose", LatePattern(r"^(?P<service>[A-Za-z0-9][\w.-]{0,80}(?:@[\w.-]{1,80})?) {1,60}\|(?: |$)"), marks=("|",))
FILE_NAMES = Loose(
    "grep-files",
    LatePattern(r"^(?P<service>[\w./~+@-]{1,200}\.(?:log|txt|out|err)(?:\.\d{1,4})?)(?::\d{1,9}:|-\d{1,9}-|:)"),
    marks=(".log", ".txt", ".out", ".err"),
)
NUMBERS = LatePattern(r"^ {0,8}(?P<number>\d{1,9})(?P<mark>:|\t| {0,3}\| ?)")
PROCESS = LatePattern(r"^\((?:\w[\w.:-]{0,100} )?pid=\d{1,10}(?:, ip=[\d.:a-f]{2,40})?\) ?")
RAY = Loose("ray", PROCESS, marks=("pid=",))
"""Ray's prefix around lines that already name their process; alone it is the line's process and stays."""
CSV = Loose("csv", LatePattern(r'^(?:[^",]{0,120},){1,8}"'), marks=('"',))
"""Rows of an exported table whose last column is the line, in quotes that are doubled inside."""
QUOTED = Loose("quoted", LatePattern(r"^ {0,8}(?:> ?){1,8}"), share=0.8, marks=(">",))
GREP_NUMBERS = Loose("grep-n", LatePattern(r"^\d{1,9}[:-]"))
LISTING_NUMBERS = Loose("numbered-listing", LatePattern(r"^ {0,8}\d{1,9}(?:: ?|\t| {0,3}\| ?)"))
RANK_NUMBERS = Loose("rank-prefix", LatePattern(r"^ {0,8}\d{1,6}: ?"))


def indented(width: int) -> Loose:
    """Text that was pasted with every line `width` blanks in."""
    return Loose("indented", re2.compile(rf"^ {{{width}}}"))


_FIRST: dict[str, str] = {
    **dict.fromkeys("0123456789", "digit"),
    **dict.fromkeys("JFMASOND", "letter"),
    **dict.fromkeys("MTWFS", "letter"),
    "[": "bracket",
    " ": "blank",
}
_BEGINNINGS = {
    "digit": ("cri", "journald-iso", "gitlab-ci", "rfc3339", "docker-desktop", "fastchat", "lemonade", "pm2", "notebook"),
    "letter": ("journald-short", "journald-full", "journald-verbose"),
    "bracket": ("journald-monotonic", "kubectl-prefix", "mpirun", "torchrun", "jenkins"),
    "blank": ("journald-verbose",),
}


@dataclass(frozen=True, slots=True)
class Stripped:
    """A line without one prefix: the shape's name, what is left, and whose line it is."""

    name: str
    text: str
    service: str | None = None


def strip_strict(text: str) -> Stripped | None:
    """The line without the strict prefix that it begins with, None where there is none."""
    kind = _FIRST.get(text[:1])
    if kind is None or (kind == "blank" and not text.lstrip(" ").startswith("MESSAGE=")):
        return None
    pattern, names, service = _combined(kind)
    match = pattern.match(text[:_LONGEST_PREFIX])
    if match is None:
        return None
    name = next(name for name, index in names if match.start(index) >= 0)
    left = text[match.end() :]
    if name in ("rfc3339", "docker-desktop") and _OWN_LEVEL.match(left[:40]):
        return None
    return Stripped(name, left, match.group(service) if service else None)


def strip_loose(text: str, loose: Loose) -> Stripped | None:
    """The line without a loose prefix that its document was found to be full of."""
    prefix = text[:_LONGEST_PREFIX]
    match = loose.pattern.match(prefix) if any(mark in prefix for mark in loose.marks) else None
    if match is None:
        return None
    left = text[match.end() :]
    if loose is CSV:
        left = left.rstrip().removesuffix('"').replace('""', '"')
    return Stripped(loose.name, left, match.group(1) if loose.pattern.groups else None)


@cache
def _combined(kind: str) -> tuple[Any, tuple[tuple[str, int], ...], int]:
    """One alternation per kind of first character, with the groups of its shapes; the earlier shape of the table wins."""
    shapes = [shape for shape in STRICT if shape.name in _BEGINNINGS[kind]]
    pattern = re2.compile("^(?:" + "|".join(f"(?P<{_group(shape.name)}>{shape.pattern})" for shape in shapes) + ")")
    names = tuple((shape.name, pattern.groupindex[_group(shape.name)]) for shape in shapes)
    return pattern, names, pattern.groupindex.get("service", 0)


def _group(name: str) -> str:
    return name.replace("-", "_")
