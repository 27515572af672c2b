"""A command line of llama-server or of an Ollama runner, as its parent process echoes it, and what it asks for.

Room: words in, flags and requested facts out. Ollama joins the arguments with blanks; a path may hold blanks, so a value goes on
until the next word that looks like a flag.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kvaudit.parsers.converters import integer
from kvaudit.parsers.llama_cpp.converters import attention, element, element_pair

_FIELDS = {
    "--parallel": "scheduler.max_num_seqs",
    "-np": "scheduler.max_num_seqs",
    "--flash-attn": "attention.backend",
    "-fa": "attention.backend",
    "--batch-size": "scheduler.max_num_batched_tokens",
    "-b": "scheduler.max_num_batched_tokens",
}
_KV_TYPE = "kv_cache.dtype"
_KV_FLAGS = (("--cache-type-k", "-ctk"), ("--cache-type-v", "-ctv"))


def flags(command: str) -> dict[str, str | bool]:
    """Flags of a command line in one piece, with Go's escapes, with their values; a flag without a value is True."""
    return flags_of_words(command.replace("\\\\", "\\").replace('\\"', '"').split(" "))


def flags_of_words(words: Iterable[str]) -> dict[str, str | bool]:
    """Flags with their values; a flag without a value is True. The program and its verb are left out."""
    found: dict[str, str | bool] = {}
    name = ""
    for word in words:
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
    yield from _kv_type(found)
    for flag, field in _FIELDS.items():
        value = found.get(flag)
        if value is True and field == "attention.backend":
            yield field, "flash", flag
        elif isinstance(value, str) and field == "attention.backend":
            if (backend := attention(value)) is not None:
                yield field, backend, flag
        elif isinstance(value, str) and (number := integer(value)) is not None:
            yield field, number, flag


def _kv_type(found: dict[str, str | bool]) -> Iterator[tuple[str, Any, str]]:
    """The cache type: one flag of Ollama for both, or one each for K and V; a side nobody typed is the engine's to choose."""
    both = found.get("--kv-cache-type")
    if isinstance(both, str):
        yield _KV_TYPE, element(both.strip("'\"")), "--kv-cache-type"
        return
    key, value = (next((found[flag] for flag in side if isinstance(found.get(flag), str)), None) for side in _KV_FLAGS)
    if isinstance(key, str) and isinstance(value, str):
        yield _KV_TYPE, element_pair(key, value), "--cache-type-k" if "--cache-type-k" in found else "-ctk"


def environment(body: str, name: str) -> str | None:
    """A variable of the echoed environment map `map[NAME:value NAME:value]`; None where it is empty or missing."""
    start = f" {body}".find(f" {name}:")
    if start < 0:
        return None
    value = body[start + len(name) + 1 :].split(" ", 1)[0].rstrip(']"')
    return value or None
