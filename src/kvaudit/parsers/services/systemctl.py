"""`systemctl show` (properties) and `systemctl status` (for people) of a service.

Room: `parsers.services`. What the manager holds in memory, so resolved, and what it counted, so observed. systemd 229 to 257.
"""

from __future__ import annotations

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.launch_command.finding import engine_command
from kvaudit.parsers.launch_command.shell import commands
from kvaudit.parsers.services.settings import KIND, Settings, at
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_PROPERTY = LatePattern(r"^([A-Z][A-Za-z0-9]{1,60})=(.*)$")
_KNOWN = frozenset(
    (
        *(
            "Id",
            "Names",
            "Type",
            "Restart",
            "NRestarts",
            "RestartUSec",
            "MainPID",
            "ActiveState",
            "SubState",
            "LoadState",
            "Result",
        ),
        *(
            "FragmentPath",
            "DropInPaths",
            "StartLimitBurst",
            "StartLimitIntervalUSec",
            "ExecMainStatus",
            "ExecMainPID",
            "ExecStart",
        ),
        *("UnitFileState", "WatchdogUSec", "ExecMainCode", "ExecMainStartTimestamp", "Description", "Environment"),
    )
)
_OBSERVED = frozenset(("NRestarts", "ActiveState", "SubState", "Result"))
_READ = frozenset(
    (
        *("Type", "Restart", "NRestarts", "RestartUSec", "ActiveState", "SubState", "Result", "StartLimitBurst"),
        *("StartLimitIntervalUSec", "Description", "WatchdogUSec", "NotifyAccess"),
    )
)
_ARGUMENTS = LatePattern(r"\bargv\[\]=(.*?) ; (?:ignore_errors|flags)=")
_LEAST = 3
_STATUS_HEAD = LatePattern(r"^[●○×↻*x]\s*([A-Za-z0-9:_.@\\-]+\.(?:service|timer))(?: - (.*))?$")
_STATUS_ACTIVE = LatePattern(r"^\s+Active:\s+(\w+)(?: \(([\w-]+)\))?(?: \(Result: ([\w-]+)\))?")
_MOST_SIZE = 1 << 18


class SystemctlShow:
    """Reads `systemctl show`."""

    name = "systemd:show"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Nothing but properties, at least three of them of a service."""
        if source.size > _MOST_SIZE:
            return 0.0
        lines = [line for line in source.head.split("\n") if line.strip()]
        names = [match.group(1) for line in lines if "A" <= line[0] <= "Z" and (match := _PROPERTY.search(line.rstrip("\r")))]
        known = len(set(names) & _KNOWN)
        return 0.85 if known >= _LEAST and len(names) >= 0.9 * len(lines) else 0.0

    def read(self, source: Source) -> Reading:
        """The properties of each unit; blank lines separate units."""
        settings = Settings(source, self.name, "systemd")
        block: list[tuple[int, str, str]] = []
        for number, raw in enumerate([*(source.text() or source.head).split("\n"), ""], start=1):
            match = _PROPERTY.search(raw.rstrip("\r"))
            if match:
                block.append((number, match.group(1), match.group(2)))
            elif not raw.strip():
                _properties(settings, block)
                block = []
        return settings.reading()


def _properties(settings: Settings, block: list[tuple[int, str, str]]) -> None:
    name = next((value for _, key, value in block if key == "Id"), "")
    for number, key, value in block:
        stage: Stage = "observed" if key in _OBSERVED else "resolved"
        if key in _READ:
            settings.say(name, key, value[:2_000], at(number, len(key) + 1), section="show", stage=stage)
        elif key == "ExecStart" and (match := _ARGUMENTS.search(value)):
            offset = len(key) + 1 + match.span(1)[0]
            words = [word for simple in commands(match.group(1), number, offset, joined=True) for word in simple.words]
            settings.command(name, words, stage="resolved")
            settings.launch(name, engine_command(words), closed=False)


class SystemctlStatus:
    """Reads `systemctl status`."""

    name = "systemd:status"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A unit's headline with its state below, at the beginning."""
        lines = [without_colours(line) for line in source.head.split("\n", 40)[:40]]
        heads = [number for number, line in enumerate(lines) if _STATUS_HEAD.search(line)]
        return (
            0.7 if heads and heads[0] < 3 and any(_STATUS_ACTIVE.search(line) for line in lines[heads[0] : heads[0] + 8]) else 0.0
        )

    def read(self, source: Source) -> Reading:
        """The state of each unit."""
        settings = Settings(source, self.name, "systemd")
        name = ""
        for number, raw in enumerate((source.text() or source.head).split("\n"), start=1):
            line = without_colours(raw)
            if match := _STATUS_HEAD.search(line):
                name = match.group(1)
                if match.group(2):
                    settings.say(name, "Description", match.group(2), at(number), section="show", stage="resolved")
            elif name and (match := _STATUS_ACTIVE.search(line)):
                for key, value in zip(("ActiveState", "SubState", "Result"), match.groups(), strict=True):
                    if value:
                        settings.say(name, key, value, at(number), section="show", stage="observed")
        return settings.reading()
