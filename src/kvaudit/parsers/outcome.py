"""The verdict on one start of a log, and the short class of a failure.

Room: `parsers`, shared by the engines whose logs print tracebacks (vLLM, SGLang, TensorRT-LLM). Which lines are lifecycle
markers, and what they amount to, is the engine's own; no engine's words stand here.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.collector import Placed


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on one start. `record` is the line of the cause, for evidence."""

    ready: bool | None
    text: str
    cause: str | None = None
    record: Placed | None = None
    died: bool = False


def failure_class(text: str, classes: tuple[tuple[str, str], ...]) -> str:
    """A short class of a failure text.

    `classes` are (words, class): the first words in the text decide; without any, the exception's name or the text's beginning.
    """
    for words, name in classes:
        if words in text:
            return name
    kind, colon, _ = text.partition(":")
    short = kind.rpartition(".")[2].strip()
    return short if colon and short and len(short) < 60 else (text[:60].strip() or "no cause printed")
