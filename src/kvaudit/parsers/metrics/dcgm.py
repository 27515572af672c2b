"""Which GPUs a DCGM exporter sees: their names, ids and driver, from the labels that every one of its metrics carries.

Room: `parsers`. Source: dcgm-exporter 3.x and 4.x (`DCGM_FI_*`). Utilisation, memory and clocks are of one moment that nobody
knows, so they are left alone; a dump of several hosts, or of a few GPUs out of many, names no run's GPUs.
"""

from __future__ import annotations

from collections.abc import Iterable

from kvaudit.parsers.facts import Fact
from kvaudit.parsers.metrics.exposition import Sample
from kvaudit.parsers.metrics.names import SERVER_LABELS
from kvaudit.parsers.metrics.tally import Locate
from kvaudit.parsers.tables import fact

_PREFIX = "DCGM_FI_"


def facts_of(samples: Iterable[Sample], locate: Locate) -> list[Fact]:
    """Count, names and ids in GPU order, and the driver; nothing where the GPUs are not those of one whole host."""
    held = [one for one in samples if one.name.startswith(_PREFIX) and one.labels.get("gpu", "").isdigit()]
    hosts = {one.labels[label] for one in held for label in SERVER_LABELS if label in one.labels}
    gpus = {int(one.labels["gpu"]): one for one in reversed(held)}
    if not gpus or len(hosts) > 1 or sorted(gpus) != list(range(len(gpus))):
        return []
    ordered = [gpus[index] for index in sorted(gpus)]
    origins = [locate(one, "gpu=") for one in ordered]
    out = [fact("gpu.count", len(gpus), "observed", origins)]
    for label, name in (("modelName", "gpu.names"), ("UUID", "gpu.uuids")):
        values = [one.labels.get(label, "") for one in ordered]
        if all(values):
            out.append(fact(name, values, "observed", origins))
    drivers = {one.labels["DCGM_FI_DRIVER_VERSION"] for one in held if one.labels.get("DCGM_FI_DRIVER_VERSION")}
    if len(drivers) == 1:
        out.append(fact("gpu.driver", drivers.pop(), "observed", origins[:1]))
    return out
