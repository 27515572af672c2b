"""Kubernetes manifests and `kubectl get -o yaml|json`: pods, whatever they are nested in, with their status where it is there.

Room: `parsers.services`. A pod's specification is known by its list `containers`, so Deployments, Jobs, LeaderWorkerSets and
lists of all of them read alike.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.services.cells import Cell, Cells, Path, documents, listed, names, subtree
from kvaudit.parsers.services.container_command import kubernetes_word, launch_of
from kvaudit.parsers.services.pod_address import Selectors, outer_selectors, pod_address
from kvaudit.parsers.services.settings import KIND, Settings
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_SIGNS = LatePattern(r'(?m)^[\s{,-]*"?apiVersion"?\s*:')
_MOST_PODS = 64


class KubernetesManifest:
    """Reads manifests and the objects that kubectl prints."""

    name = "kubernetes:manifest"
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """An object with a version and a kind that holds containers."""
        if not _SIGNS.search(source.head) or "kind" not in source.head or "containers" not in source.head:
            return 0.0
        return 0.85 if any(_pods(cells) for cells in documents(source.text() or source.head)) else 0.0

    def read(self, source: Source) -> Reading:
        """Every container of every pod."""
        settings = Settings(source, self.name, "kubernetes")
        found = documents(source.text() or source.head)
        selectors = outer_selectors(found)
        for cells in found:
            for pod in _pods(cells)[:_MOST_PODS]:
                thing = pod[: pod.index("spec")] if "spec" in pod else pod[:-1]
                _pod(settings, subtree(cells, *thing) if thing else cells, pod[len(thing) :], selectors)
        return settings.reading()


def _pods(cells: Cells) -> list[Path]:
    """The paths of pod specifications: those below which a list of containers with names or images stands."""
    found: dict[Path, None] = {}
    for path in cells:
        if "containers" in path and path[-1] in ("name", "image"):
            at = path.index("containers")
            if len(path) == at + 3 and path[at + 1].isdigit():
                found[path[:at]] = None
    return list(found)


def _pod(settings: Settings, cells: Cells, pod: Path, selectors: Selectors) -> None:
    owner = next((cells[path] for path in _names_of(pod) if path in cells), None)
    policy = cells.get((*pod, "restartPolicy"))
    for step in names(cells, *pod, "containers"):
        base = (*pod, "containers", step)
        said = cells.get((*base, "name"))
        name = "/".join(part for part in (owner.text if owner else "", said.text if said else step) if part)
        if policy is not None:
            settings.say(name, "restart", policy.text, policy.word)
        _container(settings, cells, base, name)
        pod_address(settings, cells, base, name, selectors)
        if said is not None:
            _status(settings, cells, pod, said.text, name)


def _names_of(pod: Path) -> list[Path]:
    """Where the name of the pod or of what it belongs to may stand, the nearest first."""
    return [(*pod[:size], "metadata", "name") for size in range(len(pod) - 1, -1, -1)]


def _container(settings: Settings, cells: Cells, base: Path, name: str) -> None:
    variables = _environment(cells, base)
    known = {key: cell.text for key, cell in variables.items()}
    entrypoint = [kubernetes_word(cell, known) for cell in listed(cells, *base, "command")]
    arguments = [kubernetes_word(cell, known) for cell in listed(cells, *base, "args")]
    image = cells.get((*base, "image"))
    if image is not None:
        settings.say(name, "image", image.text, image.word)
    settings.command(name, [*entrypoint, *arguments])
    settings.launch(name, launch_of(image.text if image else "", entrypoint, arguments, variables), closed=False)


def _environment(cells: Cells, base: Path) -> dict[str, Cell]:
    found = {}
    for step in names(cells, *base, "env"):
        name, value = cells.get((*base, "env", step, "name")), cells.get((*base, "env", step, "value"))
        if name is not None and value is not None:
            found[name.text] = value
    return found


def _status(settings: Settings, cells: Cells, pod: Path, container: str, name: str) -> None:
    """What the kubelet counted: restarts, and why the container waits."""
    base = (*pod[:-1], "status", "containerStatuses")
    for step in names(cells, *base):
        said = cells.get((*base, step, "name"))
        if said is None or said.text != container:
            continue
        if cell := cells.get((*base, step, "restartCount")):
            settings.say(name, "restarts", cell.text, cell.word, stage="observed")
        if cell := cells.get((*base, step, "state", "waiting", "reason")):
            settings.say(name, "state", cell.text, cell.word, stage="observed")
