"""Which file settles a missing fact, and how it is given on the command line.

Room: `reports/text`. Data first; the words are those that rules and fields use for what they need.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.audit.context import ARM_NAMES
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
    Remedy(("a log that", "a log with"), (), "server.log", ""),
)


def remedies_for(field: str, text: str) -> tuple[Remedy, ...]:
    """The evidence that would settle a need, in the order of trying; empty where the words name none."""
    settles = FIELDS[field].settles if field in FIELDS else None
    said = f"{text} {settles or ''}"
    by_field = [remedy for remedy in _REMEDIES if remedy.fields and field in FIELDS and field.startswith(remedy.fields)]
    by_words = [remedy for remedy in _REMEDIES if any(word in said for word in remedy.words)]
    return tuple(dict.fromkeys([*by_field, *by_words]))


def arguments_for(remedies: tuple[Remedy, ...], record: Record, arm: str | None) -> tuple[str, str]:
    """The argument for one arm and the command that makes the file: the first remedy that the arm does not hold yet."""
    for remedy in remedies:
        if not remedy.kind or not record.has_kind(remedy.kind):
            return argument(remedy, record, arm), remedy.command
    return "", ""


def argument(remedy: Remedy, record: Record, arm: str | None) -> str:
    """`-b gpus.xml` for an arm of two, `gpus.xml` for a single one; a checkpoint under the name that the log gives it."""
    file = remedy.file
    model = record.value("model.path")
    if remedy.kind == "checkpoint" and isinstance(model, str) and model:
        file = f"{model.rstrip('/')}/{remedy.file}"
    if any(not (character.isalnum() or character in "/._-+=@:,") for character in file):
        file = remedy.file
    return f"-{arm} {file}" if arm else file


def split_arm(need: str) -> tuple[str | None, str]:
    """`arm a: gpu.tenants: a snapshot` is about arm a."""
    for name in ARM_NAMES:
        if need.startswith(f"arm {name}: "):
            return name, need[len(f"arm {name}: ") :]
    return None, need
