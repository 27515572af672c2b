"""Reads generation_config.json: the sampling defaults that a checkpoint brings along.

Room: checkpoint parsers. Whether an engine takes them is the engine's business (vLLM does so since 0.8.0).
"""

from __future__ import annotations

from typing import Any, TypeGuard

from kvaudit.parsers.checkpoint.json_document import load
from kvaudit.parsers.checkpoint.recognition import kind_of
from kvaudit.parsers.checkpoint.statements import Statements
from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source

SAMPLING_KEYS = ("max_new_tokens", "min_p", "repetition_penalty", "temperature", "top_k", "top_p")
"""The keys that vLLM 0.8 to 0.33 takes over (`get_diff_sampling_param`); SGLang takes the same but the first."""

_LARGEST = 1 << 40
_NEUTRAL: dict[str, tuple[float, ...]] = {
    "min_p": (0,),
    "repetition_penalty": (1,),
    "temperature": (1,),
    "top_k": (0, -1),
    "top_p": (1,),
}


class GenerationConfig:
    """generation_config.json: sampling defaults."""

    name = "checkpoint:generation"
    kind = "checkpoint"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.9 for a JSON object whose keys are those of a generation configuration."""
        return 0.9 if kind_of(source) == "generation" else 0.0

    def read(self, source: Source) -> Reading:
        """The statement of the file. Raises `InputError` when it is damaged."""
        document = load(source)
        statements = Statements(document, self.name)
        used = overriding(document.value)
        how = None if used else "no sampling key that differs from the neutral value"
        pointers = [f"/{key}" for key in sorted(used)] or [""]
        statements.add("model.generation_config", sampling_text(used), *pointers, how=how)
        statements.add("clue.checkpoint_path", source.folder)
        return Reading(kind=self.kind, facts=statements.facts())


def overriding(values: dict[str, Any]) -> dict[str, float]:
    """The sampling keys that change something: numbers, and not the neutral ones (temperature 1, top_p 1, ...)."""
    numbers = {key: values.get(key) for key in SAMPLING_KEYS}
    return {key: number for key, number in numbers.items() if _counts(number) and number not in _NEUTRAL.get(key, ())}


def _counts(number: Any) -> TypeGuard[float]:
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) < _LARGEST


def sampling_text(values: dict[str, float]) -> str:
    """Sampling keys as `key=value` text in alphabetical order, `none` when there are none."""
    return ", ".join(f"{key}={values[key]}" for key in sorted(values)) or "none"
