"""Which file settles a missing fact, and how it is given on the command line.

Room: `reports/text`. Data first; the words are those that rules and fields use for what they need.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.fields import FIELDS
from kvaudit.record.model import Record


@dataclass(frozen=True, slots=True)
class Remedy:
    """A kind of evidence: the words that ask for it, the fields it speaks of, a file name, and the command that makes it."""

    words: tuple[str, ...]
    fields: tuple[str, ...]
    file: str
    kind: str
    command: str = ""


_REMEDIES: tuple[Remedy, ...] = (
    Remedy(("nvidia-smi", "GPU snapshot"), ("gpu.",), "gpus.xml", "gpu-snapshot", "nvidia-smi -q -x > gpus.xml"),
    Remedy(("config.json",), ("kv_cache.scheme", "kv_cache.scales"), "config.json", "checkpoint"),
    Remedy(("the unit file",), ("service.",), "unit.txt", "service", "systemctl cat NAME > unit.txt"),
    Remedy(("/metrics",), (), "metrics.txt", "metrics", "curl -s http://HOST:PORT/metrics > metrics.txt"),
    Remedy(("an engine log",), (), "server.log", "engine-log"),
)


def remedy_for(field: str, text: str) -> Remedy | None:
    """The evidence that would settle a need, None where the words name none."""
    settles = FIELDS[field].settles if field in FIELDS else None
    said = f"{text} {settles or ''}"
    for remedy in _REMEDIES:
        if field in FIELDS and field.startswith(remedy.fields):
            return remedy
    return next((remedy for remedy in _REMEDIES if any(word in said for word in remedy.words)), None)


def argument(remedy: Remedy, record: Record, arm: str | None) -> str:
    """`-b gpus.xml` for an arm of two, `gpus.xml` for a single one; a checkpoint under the name that the log gives it."""
    file = remedy.file
    model = record.value("model.path")
    if remedy.kind == "checkpoint" and isinstance(model, str) and model:
        file = f"{model.rstrip('/')}/{remedy.file}"
    if any(not (character.isalnum() or character in "/._-+=@:,") for character in file):
        file = remedy.file
    return f"-{arm} {file}" if arm else file
