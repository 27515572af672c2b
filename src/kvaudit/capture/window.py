"""What happened between the two moments around a command: counters, requests of others, processes that came or went.

Room: `capture`. The figures are those that an audit of the folder finds (`record` reads the two dumps and the two snapshots);
here they are put into the manifest and into words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kvaudit.parsers.facts import RUN_CLUE, WINDOW_CLUE
from kvaudit.record.build import Options, read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

_SHOWN = ("requests", "prompt_tokens", "generation_tokens", "prefix_queries", "prefix_hits", "preemptions")


def window_of(folder: Path, snapshots: tuple[str | None, str | None], redactor: Redactor) -> dict[str, Any]:
    """The window for the manifest. Raises `InputError` where a piece of the folder is damaged."""
    record = read_arm([str(folder)], redactor, Options(local_checkpoint=False))
    held = next((clue.value for clue in record.clues.get(WINDOW_CLUE, []) if isinstance(clue.value, dict)), {})
    deltas: dict[str, float] = held.get("deltas") or {}
    counters = {name: deltas[name] for name in _SHOWN if name in deltas}
    queries, hits = counters.get("prefix_queries"), counters.get("prefix_hits")
    window: dict[str, Any] = {"counters": counters}
    if queries and hits is not None:
        window["prefix_hit_rate"] = round(hits / queries, 4)
    if held.get("refused"):
        window["refused"] = held["refused"]
    return window | _others(record, counters) | _tenants(folder, snapshots, redactor)


def _others(record: Record, counters: dict[str, float]) -> dict[str, Any]:
    """Requests that the server ended and the client did not send, where exactly one result says how many it sent."""
    sent = _sent(record)
    if sent is None or "requests" not in counters:
        return {}
    return {"requests_of_client": sent, "requests_of_others": int(counters["requests"]) - sent}


def _sent(record: Record) -> int | None:
    runs = [clue.value for clue in record.clues.get(RUN_CLUE, []) if isinstance(clue.value, dict)]
    counts = [_count(run.get("values") or {}) for run in runs]
    return counts[0] if len(counts) == 1 or (counts and len(set(counts)) == 1) else None


def _count(values: dict[str, Any]) -> int | None:
    """Completed requests and those before the measured window."""
    completed = (values.get("completed") or {}).get("value")
    warmups = (values.get("warmups") or {}).get("value")
    if not isinstance(completed, int | float):
        return None
    return int(completed) + (int(warmups) if isinstance(warmups, int | float) else 0)


def _tenants(folder: Path, snapshots: tuple[str | None, str | None], redactor: Redactor) -> dict[str, Any]:
    """Processes on the GPUs that one snapshot shows and the other does not."""
    before, after = (_processes(folder, name, redactor) if name else None for name in snapshots)
    if before is None or after is None:
        return {}
    return {
        "tenants_came": [one for key, one in after.items() if key not in before],
        "tenants_went": [one for key, one in before.items() if key not in after],
    }


def _processes(folder: Path, name: str, redactor: Redactor) -> dict[tuple[Any, Any], dict[str, Any]] | None:
    """The processes of one snapshot by GPU and id; None where it proves no list."""
    value = read_arm([str(folder / name)], redactor, Options(local_checkpoint=False)).value("gpu.tenants")
    if not isinstance(value, list):
        return None
    kept = ("gpu", "pid", "name", "mib")
    return {(one.get("gpu"), one.get("pid")): {key: one.get(key) for key in kept} for one in value if isinstance(one, dict)}


def in_words(window: dict[str, Any]) -> list[str]:
    """The window as lines for a person."""
    counters = window.get("counters", {})
    lines = []
    if "requests" in counters:
        of_others = window.get("requests_of_others")
        others = f", {of_others:,} of them not the client's" if of_others else ""
        lines.append(f"{counters['requests']:,.0f} requests ended at the server{others}")
    if "prefix_hit_rate" in window:
        lines.append(f"prefix hit rate {window['prefix_hit_rate']:.1%} over the window")
    if counters.get("preemptions"):
        lines.append(f"{counters['preemptions']:,.0f} preemptions")
    lines += [f"no difference of the counters: {window['refused']}"] if window.get("refused") else []
    for key, word in (("tenants_came", "came to"), ("tenants_went", "went from")):
        lines += [f"process {one['pid']} ({one['name']}) {word} GPU {one['gpu']} meanwhile" for one in window.get(key, [])]
    return lines
