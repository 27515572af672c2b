"""The label of a results row: which weights, under which settings.

Room: `results`. Words of the evidence only; what it does not name is not in the label, and is listed as lacking.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import Run
from kvaudit.record.model import Record

_SETTINGS = (
    ("engine.name", "{}"),
    ("kv_cache.dtype", "KV {}"),
    ("parallel.tensor", "TP{}"),
    ("model.max_len", "{} max"),
    ("speculative.method", "spec {}"),
    ("kv_cache.prefix_caching", "prefix caching {}"),
)
_TELLING = ("kv_cache.dtype", "run.args", "model.max_len")
"""Fields of which one at least shows that the settings of the server are in the evidence."""


def weights_of(record: Record, runs: Sequence[Run]) -> str | None:
    """The model by its name, with its weight format where the evidence names it."""
    model = record.value("model.path") or _shared([run.model for run in runs if run.model], "models")
    if not isinstance(model, str):
        return None
    name = model.rstrip("/").rpartition("/")[2] or model
    weights = record.value("model.weight_format") or record.value("model.quantization")
    return f"{name} {weights}" if isinstance(weights, str) and weights != "none" else name


def settings_of(record: Record) -> str | None:
    """The settings of the server that tell rows apart, None where none that matters is known."""
    if not any(record.state(name) == "known" for name in _TELLING):
        return None
    said = [(template, record.value(name)) for name, template in _SETTINGS if record.state(name) == "known"]
    shown = [template.format(_shown(value)) for template, value in said if not isinstance(value, dict | list)]
    return ", ".join(one for one in shown if one != "spec none")


def row_label(record: Record, runs: Sequence[Run]) -> str:
    """Weights and settings in one phrase; the arm's label where neither is known."""
    own = _shared([run.label for run in runs if run.label], "labels")
    parts = [weights_of(record, runs), settings_of(record) or own]
    return " · ".join(part for part in parts if part) or record.label


def _shared(names: Sequence[str], noun: str) -> str | None:
    """The one name that all runs have, or how many there are."""
    told = list(dict.fromkeys(names))
    return None if not told else told[0] if len(told) == 1 else f"{len(told)} {noun}"


def lacking(record: Record, runs: Sequence[Run]) -> list[str]:
    """What the label of a row would need and the evidence does not hold."""
    needs = [] if weights_of(record, runs) else ["the model that was measured (the client's --model, or the server's log)"]
    labelled = bool(runs) and all(run.label for run in runs)
    if settings_of(record) is None and not labelled:
        needs.append("the settings of the server: its log beside the result file, or --metadata with the settings that differ")
    return needs


def _shown(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
