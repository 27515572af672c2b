"""Docker compose files and what `docker compose config` prints, YAML or JSON.

Room: `parsers.services`. Compose specification; a file may hold several services, each is told apart by its name.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.launch_command.published import UNKNOWN, short_port
from kvaudit.parsers.launch_command.words import Word
from kvaudit.parsers.services.cells import Cell, Cells, below, documents, first_document, listed, names
from kvaudit.parsers.services.container_command import compose_word, launch_of, words_of_text
from kvaudit.parsers.services.settings import KIND, Settings
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_SIGN = LatePattern(r'(?m)^\s{0,4}"?services"?\s*:')
_SERVICE_KEYS = frozenset(("image", "build", "command", "entrypoint", "extends", "deploy", "container_name"))
_MOST_SERVICES = 64
_SWARM = ("condition", "delay", "max_attempts", "window")


class ComposeFile:
    """Reads compose files."""

    name = "docker:compose"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """A mapping `services` whose members have an image, a build or a command."""
        if not _SIGN.search(source.head):
            return 0.0
        return 0.85 if _services(source) else 0.0

    def read(self, source: Source) -> Reading:
        """The services, or the one that the path picks (`FILE#SERVICE`)."""
        settings = Settings(source, self.name, "compose")
        first_document(source)
        found = _services(source)
        picked = source.path.rpartition("#")[2]
        for name, cells in found.items():
            if picked in (name, source.path) or picked not in found:
                _service(settings, cells, name)
        if len(found) > 1 and picked not in found:
            settings.notes.append(f"{len(found)} services: {', '.join(list(found)[:8])}")
        return settings.reading()


def _services(source: Source) -> dict[str, Cells]:
    """The cells of each service by its name, at most 64."""
    found = documents(source.text() or source.head)
    if len(found) != 1:
        return {}
    services: dict[str, Cells] = {}
    for path, cell in below(found[0], "services"):
        if len(path) > 1 and (path[0] in services or len(services) < _MOST_SERVICES):
            services.setdefault(path[0], {})[path[1:]] = cell
    return {name: cells for name, cells in services.items() if any(path[0] in _SERVICE_KEYS for path in cells)}


def _service(settings: Settings, cells: Cells, name: str) -> None:
    for key in ("restart", "image", "container_name"):
        if cell := cells.get((key,)):
            settings.say(name, key, _policy(cell) if key == "restart" else cell.text, cell.word)
    for key in _SWARM:
        if cell := cells.get(("deploy", "restart_policy", key)):
            settings.say(name, key, cell.text, cell.word, section="deploy.restart_policy")
    entrypoint, command = _words(cells, "entrypoint"), _words(cells, "command")
    settings.command(name, [*entrypoint, *command])
    image = cells.get(("image",))
    settings.launch(name, launch_of(image.text if image else "", entrypoint, command, environment_of(cells)), closed=False)
    _address(settings, cells, name)
    settings.say(name, "seen", True, next(iter(cells.values())).word)


def _address(settings: Settings, cells: Cells, name: str) -> None:
    """Network mode and published ports, in the short form or as mappings."""
    mode = cells.get(("network_mode",))
    ports = [port for cell in listed(cells, "ports") if (port := short_port(cell.text))]
    for step in names(cells, "ports"):
        if target := cells.get(("ports", step, "target")):
            host = cells.get(("ports", step, "host_ip"))
            ports.append({"address": UNKNOWN if host and "$" in host.text else host.text if host else "", "target": target.text})
    place = next((cell for path, cell in cells.items() if path[0] in ("ports", "network_mode")), next(iter(cells.values())))
    settings.address(name, mode.text if mode else None, ports, place.word)


def _policy(cell: Cell) -> str:
    """YAML 1.1 reads an unquoted `no` as false; docker means the word."""
    return "no" if cell.text in ("false", "no", "") else cell.text


def _words(cells: Cells, *base: str) -> list[Word]:
    if base in cells:
        return words_of_text(cells[base])
    return [compose_word(cell) for cell in listed(cells, *base)]


def environment_of(cells: Cells) -> dict[str, Cell]:
    """The variables of a service, written as a mapping or as a list of `NAME=value`."""
    found: dict[str, Cell] = {}
    for path, cell in below(cells, "environment"):
        name, equals, value = cell.text.partition("=")
        if path[0].isdigit() and equals:
            found[name] = Cell(value, cell.line, cell.position + len(name) + 1, cell.pointer)
        elif not path[0].isdigit():
            found[path[0]] = cell
    return {name: cell for name, cell in found.items() if "$" not in cell.text}
