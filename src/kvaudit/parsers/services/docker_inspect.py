"""`docker inspect` of containers (docker 20 to 28, podman 4 and 5): what the daemon holds and counted.

Room: `parsers.services`. Images are inspected with the same command; they have no restart policy and are no services.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.services.cells import Cell, Cells, Path, below, documents, first_document, listed, names, subtree
from kvaudit.parsers.services.container_command import launch_of
from kvaudit.parsers.services.settings import KIND, Settings
from kvaudit.sources.source import Source

_MOST_CONTAINERS = 64
_POLICY = ("HostConfig", "RestartPolicy", "Name")


class DockerInspect:
    """Reads `docker inspect`."""

    name = "docker:inspect"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """JSON of a container: a restart policy and a state."""
        head = source.head.lstrip("\ufeff \t\r\n")
        if head[:1] not in ("[", "{") or '"State"' not in head or '"Id"' not in head:
            return 0.0
        found = documents(source.text() or "")
        return 0.9 if found and _containers(found[0]) else 0.0

    def read(self, source: Source) -> Reading:
        """Policy, counts, state and command of each container."""
        settings = Settings(source, self.name, "docker")
        cells = first_document(source)
        for base in _containers(cells)[:_MOST_CONTAINERS]:
            _container(settings, subtree(cells, *base) if base else cells)
        return settings.reading()


def _containers(cells: Cells) -> list[Path]:
    bases: list[Path] = [(step,) for step in names(cells) if step.isdigit()] or [()]
    return [base for base in bases if (*base, *_POLICY) in cells and (*base, "State", "Status") in cells]


def _container(settings: Settings, cells: Cells) -> None:
    said = cells.get(("Name",))
    name = said.text.lstrip("/") if said else "container"
    policy, count = cells[_POLICY], cells.get(("HostConfig", "RestartPolicy", "MaximumRetryCount"))
    settings.say(name, "restart", policy.text or "no", policy.word, stage="resolved")
    if count is not None and policy.text == "on-failure":
        settings.say(name, "max_retries", count.text, count.word, stage="resolved")
    for key, path in (("restarts", ("RestartCount",)), ("state", ("State", "Status")), ("image", ("Config", "Image"))):
        if cell := cells.get(path):
            settings.say(name, key, cell.text, cell.word, stage="resolved" if key == "image" else "observed")
    program = cells.get(("Path",))
    words = [cell.word for cell in ([program] if program else []) + listed(cells, "Args")]
    settings.command(name, words, stage="resolved")
    settings.launch(name, launch_of("", [], words, _environment(cells)), closed=True)
    _address(settings, cells, name)


def _address(settings: Settings, cells: Cells, name: str) -> None:
    """Network mode and published ports; without a network mode nothing is known of them."""
    mode = cells.get(("HostConfig", "NetworkMode"))
    if mode is None:
        return
    ports, place = [], mode
    for base in (("HostConfig", "PortBindings"), ("NetworkSettings", "Ports")):
        for path, cell in below(cells, *base):
            target, _, protocol = path[0].partition("/")
            if len(path) == 3 and path[2] == "HostIp" and protocol in ("tcp", ""):
                ports.append({"address": cell.text, "target": target})
                place = cell
    settings.address(name, mode.text, ports, place.word, stage="resolved")


def _environment(cells: Cells) -> dict[str, Cell]:
    found = {}
    for cell in listed(cells, "Config", "Env"):
        name, equals, value = cell.text.partition("=")
        if equals:
            found[name] = Cell(value, cell.line, cell.position, cell.pointer)
    return found
