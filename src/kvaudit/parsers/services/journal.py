"""What systemd's manager says in the journal: restarts it counted, limits it enforced, and how long a cycle took.

Room: `parsers.services`. Formats: journalctl short, short-iso, with or without colours, JSON and export, systemd 229 to 257. The
same lines stand in an engine's own journal, which belongs to the engine's parser: `beside_a_log` takes them from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from kvaudit.parsers.facts import Fact, Reading
from kvaudit.parsers.hints import MANAGER
from kvaudit.parsers.launch_command.words import Word, plain
from kvaudit.parsers.services.settings import KIND, Settings
from kvaudit.parsers.services.stamps import elapsed
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line, without_colours
from kvaudit.sources.source import Source

_UNIT = r"(?P<unit>[A-Za-z0-9:_.@\\-]{1,200}\.service)"
_COUNTER = LatePattern(rf"{_UNIT}: Scheduled restart job, restart counter is at (?P<count>\d{{1,9}})\b")
_LIMIT = LatePattern(rf"{_UNIT}: Start request repeated too quickly")
_READER = "systemd:journal"
_CERTAIN = 0.55
"""Below any engine log: a journal that holds one belongs to the engine's parser."""


@dataclass(slots=True)
class _Unit:
    """What the manager said of one unit: counter lines with their numbers, and lines about the limit."""

    counters: list[tuple[int, Line]] = field(default_factory=list)
    limits: list[Line] = field(default_factory=list)


class ManagerJournal:
    """Reads the manager's messages of a journal."""

    name = _READER
    kind = KIND
    hints: tuple[bytes, ...] = MANAGER
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """At least one message of the manager about restarts."""
        return _CERTAIN if _units(source) else 0.0

    def read(self, source: Source) -> Reading:
        """Restarts, limits and cycles of every unit that was restarted."""
        return _settings(source).reading(wrapper="journald")


def beside_a_log(source: Source) -> list[Fact]:
    """The manager's settings in a journal that an engine's parser reads."""
    return _settings(source).reading().facts


def _settings(source: Source) -> Settings:
    settings = Settings(source, _READER, "systemd")
    for name, unit in _units(source).items():
        if unit.counters:
            count, line = max(unit.counters, key=lambda item: item[0])
            settings.say(name, "NRestarts", count, _place(line), stage="observed")
            _cycle(settings, name, unit)
        for line in unit.limits[-1:]:
            settings.say(name, "state", "start-limit-hit", _place(line), stage="observed")
    return settings


def _units(source: Source) -> dict[str, _Unit]:
    """The units the manager speaks of. Lines are taken with their wrapper, because the journal's stamps stand in it."""
    found: dict[str, _Unit] = {}
    for raw in source.hits:
        if not any(hint in raw.data for hint in MANAGER):
            continue
        line = Line(raw.number, without_colours(raw.data.decode("utf-8", "replace")))
        if match := _COUNTER.search(line.text):
            found.setdefault(match.group("unit"), _Unit()).counters.append((int(match.group("count")), line))
        elif match := _LIMIT.search(line.text):
            found.setdefault(match.group("unit"), _Unit()).limits.append(line)
    return found


def _cycle(settings: Settings, name: str, unit: _Unit) -> None:
    """The median time from one restart to the next: the pause and the time to crash together."""
    seconds = []
    for (count, line), (following, later) in zip(unit.counters, unit.counters[1:], strict=False):
        passed = elapsed(line.text, later.text) if following == count + 1 else None
        if passed is not None:
            seconds.append(passed)
    if seconds:
        settings.say(
            name, "cycle", {"seconds": median(seconds), "count": len(seconds)}, _place(unit.counters[-1][1]), stage="observed"
        )


def _place(line: Line) -> Word:
    return plain("", line.number)
