"""Where a pod can be reached from: the host's network, ports of the host, services of the same manifest that lead outside.

Room: `parsers.services`, Kubernetes alone. A service of another manifest is not seen, so that nothing here means unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from kvaudit.parsers.launch_command.published import Port
from kvaudit.parsers.services.cells import Cells, Path, names, subtree
from kvaudit.parsers.services.settings import Settings

POD_NETWORK = "pod"
"""The network of a pod: who can reach it is up to the cluster."""

_OUTWARD = ("NodePort", "LoadBalancer")

Selectors = list[frozenset[tuple[Path, str]]]
"""The labels that each service asks for which leads out of the cluster."""


def outer_selectors(found: Iterable[Cells]) -> Selectors:
    """The selectors of the services in some documents, lists of objects too."""
    out: Selectors = []
    for cells in found:
        bases: list[Path] = [(), *(("items", step) for step in names(cells, "items"))]
        for base in bases:
            kind, reach = cells.get((*base, "kind")), cells.get((*base, "spec", "type"))
            wanted = _texts(cells, *base, "spec", "selector")
            if kind is not None and kind.text == "Service" and reach is not None and reach.text in _OUTWARD and wanted:
                out.append(wanted)
    return out


def _texts(cells: Cells, *base: str) -> frozenset[tuple[Path, str]]:
    return frozenset((path, cell.text) for path, cell in subtree(cells, *base).items())


def pod_address(settings: Settings, cells: Cells, base: Path, name: str, selectors: Selectors) -> None:
    """Note the address of one container; `base` is its path, two steps below that of the pod's specification."""
    pod = base[:-2]
    shared = cells.get((*pod, "hostNetwork"))
    ports: list[Port] = []
    for number in names(cells, *base, "ports"):
        inside, outside, host = (cells.get((*base, "ports", number, key)) for key in ("containerPort", "hostPort", "hostIP"))
        if inside is not None and outside is not None and outside.text not in ("", "0"):
            ports.append({"address": host.text if host else "", "target": inside.text})
    labels = _texts(cells, *pod[:-1], "metadata", "labels")
    ports += [{"address": "", "target": ""} for wanted in selectors if wanted <= labels]
    network = "host" if shared is not None and shared.text == "true" else POD_NETWORK
    place = shared or next((cell for path, cell in cells.items() if path[: len(base)] == base), None)
    if place is not None:
        settings.address(name, network, ports, place.word)
