"""A systemd unit file, a drop-in, or what `systemctl cat` prints of both.

Room: `parsers.services`. Settings come out as they stand, in whatever section they stand: whether systemd reads them there is
judged in `record`, together with the drop-ins that are documents of their own.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.launch_command.finding import engine_command
from kvaudit.parsers.services.settings import KIND, Settings, at
from kvaudit.parsers.services.unit_lines import SECTION, Assignment, assignments
from kvaudit.parsers.services.unit_words import command_words, environment_of, split
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

UNIT_NAME = LatePattern(
    r"^([A-Za-z0-9:_.@\\-]+\.(?:service|timer|socket|path|target|container))(?:\.(?:in|j2|tmpl|template|txt))?(?:\.d)?$"
)
_DROP_IN = LatePattern(r"(?:^|/)([A-Za-z0-9:_.@\\-]+\.(?:service|timer))\.d/[^/]+$")
_SECTIONS = frozenset(("Unit", "Service", "Install", "Timer", "Socket", "Path", "Container", "Quadlet"))
_KEYS = frozenset(
    (
        *("Description", "After", "Wants", "Requires", "Before", "ExecStart", "ExecStartPre", "ExecStop", "Type", "Restart"),
        *(
            "RestartSec",
            "StartLimitBurst",
            "StartLimitIntervalSec",
            "StartLimitInterval",
            "User",
            "Environment",
            "EnvironmentFile",
        ),
        *("WantedBy", "OnCalendar", "OnUnitActiveSec", "OnBootSec", "OnUnitInactiveSec", "Unit", "WorkingDirectory", "Image"),
        *("WatchdogSec", "TimeoutStartSec", "Exec", "ContainerName", "OnFailure", "PartOf", "BindsTo", "LimitMEMLOCK"),
    )
)
_READ = frozenset(
    (
        *("Description", "ExecStart", "Type", "Restart", "RestartSec", "RestartSteps", "RestartMaxDelaySec", "StartLimitBurst"),
        *(
            "StartLimitIntervalSec",
            "StartLimitInterval",
            "Environment",
            "EnvironmentFile",
            "PassEnvironment",
            "Unit",
            "WatchdogSec",
        ),
        *(
            "OnCalendar",
            "OnUnitActiveSec",
            "OnUnitInactiveSec",
            "OnBootSec",
            "OnActiveSec",
            "OnStartupSec",
            "WantedBy",
            "OnFailure",
        ),
        *("NotifyAccess", "ExecStartPre", "ExecStartPost", "Image", "Exec", "RestartPreventExitStatus", "SuccessExitStatus"),
    )
)
"""What is kept of a unit; the rest decides nothing here."""

_LEAST_SHARE = 0.6
_MOST_SIZE = 1 << 18


class UnitFile:
    """Reads unit files and drop-ins."""

    name = "systemd:unit"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A section of a unit with keys that units have, and little else."""
        if source.size > _MOST_SIZE or not _has_section(source.head):
            return 0.0
        found = list(assignments(source.head))
        known = sum(one.section in _SECTIONS and one.key in _KEYS for one in found)
        filled = [line for raw in source.head.split("\n") if (line := raw.strip()) and line[0] not in "#;"]
        read = len(found) + sum(len(one.lines) - 1 for one in found) + sum(bool(SECTION.search(line)) for line in filled)
        return 0.85 if known and filled and read >= _LEAST_SHARE * len(filled) and known >= len(found) // 4 else 0.0

    def read(self, source: Source) -> Reading:
        """Every setting that matters, and what a server's command in it asks for."""
        settings = Settings(source, self.name, "systemd")
        found = list(assignments(source.text() or source.head))
        environment = environment_of(found)
        closed = not any(one.key in ("EnvironmentFile", "PassEnvironment") for one in found) and not _is_user_unit(found)
        for one in found:
            _take(settings, source.path, one)
            if one.key == "ExecStart" and one.section == "Service":
                words = command_words(one, environment)
                name, document = name_of(source.path, one.fragment)
                settings.command(name, words, document)
                settings.launch(name, engine_command(words), closed=closed)
        return settings.reading()


def _has_section(head: str) -> bool:
    lines = (line for raw in head.split("\n") if (line := raw.strip()).startswith("["))
    sections = {match.group(1) for line in lines if (match := SECTION.search(line))}
    return bool(sections & _SECTIONS) and len(sections - _SECTIONS) <= 1


def name_of(path: str, fragment: str = "") -> tuple[str, str]:
    """The unit a document is about, and the document's own name where it is a drop-in (empty for the unit itself)."""
    place = fragment or path
    if match := _DROP_IN.search(place):
        return match.group(1), place.rpartition("/")[2]
    base = place.rpartition("/")[2]
    match = UNIT_NAME.search(base)
    return (match.group(1) if match else base), ("" if match or not base.endswith(".conf") else base)


def _take(settings: Settings, path: str, one: Assignment) -> None:
    if one.key not in _READ:
        return
    name, document = name_of(path, one.fragment)
    value = [word.text.partition("=")[0] for word in split(one)] if one.key == "Environment" else one.text[:2_000]
    settings.say(name, one.key, value, at(*one.place(0)), section=one.section, document=document)


def _is_user_unit(found: list[Assignment]) -> bool:
    """A unit of the user's manager, whose environment other programs may fill (`systemctl --user import-environment`)."""
    return any(
        "/user/" in one.fragment or (one.key == "WantedBy" and "default.target" in one.text) or "%h" in one.text for one in found
    )
