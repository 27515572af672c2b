"""`kubectl describe pod` and the table of `kubectl get pods`.

Room: `parsers.services`. Text for people, kubectl 1.20 to 1.34: indentation tells the containers apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.launch_command.words import Word, plain
from kvaudit.parsers.services.container_command import launch_of
from kvaudit.parsers.services.settings import KIND, Settings, at
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_HEAD = LatePattern(r"(?m)^Name:\s+(\S+)\s*$")
_CONTAINERS = LatePattern(r"(?m)^Containers:\s*$")
_CONTAINER = LatePattern(r"^  ([a-z0-9][a-z0-9.-]{0,252}):\s*$")
_PAIR = LatePattern(r"^\s{4,8}([A-Z][A-Za-z ]{0,30}):(?:\s+(\S.*))?$")
_ITEM = LatePattern(r"^\s{6,8}(\S.*)$")
_TABLE_HEAD = LatePattern(r"^(?:NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE")
_TABLE_ROW = LatePattern(r"^(?:\S+\s+)?(\S+)\s+\d+/\d+\s+(\S+)\s+(\d{1,9})(?:\s+\([^)]*\))?\s+\S+")
_MOST_LINES = 20_000


@dataclass(slots=True)
class _State:
    """Where in the description the next line belongs."""

    pod: str = ""
    inside: bool = False
    container: str = ""
    image: str = ""
    list_: str = ""
    words: dict[str, list[Word]] = field(default_factory=lambda: {"Command": [], "Args": []})
    key: str = ""


class KubectlDescribe:
    """Reads `kubectl describe pod`."""

    name = "kubernetes:describe"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A name, a section of containers, and a restart count."""
        head = source.head
        return 0.85 if _HEAD.search(head[:2_000]) and _CONTAINERS.search(head) and "Restart Count:" in head else 0.0

    def read(self, source: Source) -> Reading:
        """Restarts, state, image and command of each container."""
        settings = Settings(source, self.name, "kubernetes")
        state = _State()
        for number, line in enumerate((source.text() or source.head).split("\n", _MOST_LINES)[:_MOST_LINES], start=1):
            _line(settings, state, number, line.rstrip())
        _finish(settings, state)
        return settings.reading()


def _line(settings: Settings, state: _State, number: int, line: str) -> None:
    if match := _HEAD.search(line):
        _finish(settings, state)
        state.pod, state.inside = match.group(1), False
    elif line and not line.startswith(" "):
        _finish(settings, state)
        state.inside = line.startswith("Containers:")
    elif state.inside and (match := _CONTAINER.search(line)):
        _finish(settings, state)
        state.container = f"{state.pod}/{match.group(1)}"
    elif state.container and (match := _PAIR.search(line)):
        _pair(settings, state, match.group(1).strip(), match.group(2), at(number, max(0, match.span(2)[0])))
    elif state.list_ and (match := _ITEM.search(line)):
        state.words[state.list_].append(plain(match.group(1), number, match.span(1)[0]))


def _pair(settings: Settings, state: _State, key: str, value: str | None, place: Word) -> None:
    state.list_ = key if key in state.words and value is None else ""
    if key == "Restart Count" and value and value.isdigit():
        settings.say(state.container, "restarts", value, place, stage="observed")
    elif key == "Image" and value:
        state.image = value
        settings.say(state.container, "image", value, place)
    elif key == "Reason" and state.key == "State" and value:
        settings.say(state.container, "state", value, place, stage="observed")
    if key in ("State", "Last State"):
        state.key = key


def _finish(settings: Settings, state: _State) -> None:
    """The container that ends: its command, when all of it was read."""
    if state.container:
        command, arguments = state.words["Command"], state.words["Args"]
        settings.command(state.container, [*command, *arguments])
        settings.launch(state.container, launch_of(state.image, command, arguments, {}), closed=False)
    state.container, state.image, state.list_, state.key = "", "", "", ""
    state.words = {"Command": [], "Args": []}


class KubectlGet:
    """Reads the table of `kubectl get pods`."""

    name = "kubernetes:get"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """The head of the table as the first line, rows below it."""
        lines = [line for line in source.head.split("\n", 50)[:50] if line.strip()]
        rows = sum(bool(_TABLE_ROW.search(line)) for line in lines[1:])
        return 0.8 if lines and _TABLE_HEAD.search(lines[0]) and rows and rows >= 0.8 * (len(lines) - 1) else 0.0

    def read(self, source: Source) -> Reading:
        """Restarts and status of each pod."""
        settings = Settings(source, self.name, "kubernetes")
        for number, line in enumerate((source.text() or source.head).split("\n", _MOST_LINES)[:_MOST_LINES], start=1):
            if match := _TABLE_ROW.search(line):
                settings.say(match.group(1), "restarts", match.group(3), at(number, match.span(3)[0]), stage="observed")
                settings.say(match.group(1), "state", match.group(2), at(number, match.span(2)[0]), stage="observed")
        return settings.reading()
