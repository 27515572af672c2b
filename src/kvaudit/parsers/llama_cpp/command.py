"""The command line of a model runner, as `ollama serve` echoes it, and what it asks for.

Room: one string in, flags and requested facts out. Ollama joins the arguments with blanks; a path may hold blanks, so a value
goes on until the next word that looks like a flag.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_INTEGERS = frozenset({"model.max_len", "scheduler.max_num_seqs", "scheduler.max_num_batched_tokens"})
_FIELDS = {
    "--parallel": "scheduler.max_num_seqs",
    "-np": "scheduler.max_num_seqs",
    "--batch-size": "scheduler.max_num_batched_tokens",
    "-b": "scheduler.max_num_batched_tokens",
    "--kv-cache-type": "kv_cache.dtype",
    "--cache-type-k": "kv_cache.dtype",
}


def flags(command: str) -> dict[str, str | bool]:
    """Flags with their values; a flag without a value is True. The program and its verb are left out."""
    found: dict[str, str | bool] = {}
    name = ""
    for word in command.replace("\\\\", "\\").replace('\\"', '"').split(" "):
        if len(word) > 1 and word[0] == "-" and (word[1] == "-" or word[1].isalpha()):
            name = word
            found[name] = True
        elif name and word:
            before = found[name]
            found[name] = word if before is True else f"{before} {word}"
    return found


def model(found: dict[str, str | bool]) -> str | None:
    """The model file of a runner; a runner without one only discovers GPUs."""
    path = found.get("--model", found.get("-m"))
    return path if isinstance(path, str) else None


def requested(found: dict[str, str | bool]) -> Iterator[tuple[str, Any, str]]:
    """(field, value, flag) of what the command asks for."""
    for flag, field in _FIELDS.items():
        value = found.get(flag)
        if not isinstance(value, str):
            continue
        if field not in _INTEGERS:
            yield field, value.strip("'\""), flag
        elif value.isascii() and value.isdigit() and len(value) < 19:
            yield field, int(value), flag


def environment(body: str, name: str) -> str | None:
    """A variable of the echoed environment map `map[NAME:value NAME:value]`; None where it is empty or missing."""
    start = f" {body}".find(f" {name}:")
    if start < 0:
        return None
    value = body[start + len(name) + 1 :].split(" ", 1)[0].rstrip(']"')
    return value or None
