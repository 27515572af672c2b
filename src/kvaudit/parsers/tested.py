"""Which releases of an engine the log formats were checked on, and the note about a newer one.

Room: `parsers`, shared by the engines' log parsers. The newest release of an engine table in `rules/engines` is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kvaudit.parsers.facts import Fact

NEWEST: dict[str, tuple[str, str]] = {
    "vllm": ("vLLM", "0.33.0"),
    "sglang": ("SGLang", "0.5.23"),
    "tensorrt_llm": ("TensorRT-LLM", "1.3.0"),
    "llama_cpp": ("llama.cpp build", "11549"),
    "ollama": ("Ollama", "0.30"),
    "lmdeploy": ("LMDeploy", "0.17.0"),
    "tgi": ("TGI", "3.3.7"),
}
"""Name of the engine for people, and its newest release whose formats were read."""


def newer_notes(engine: str, facts: Iterable[Fact]) -> Iterator[str]:
    """A note for each version among the facts that is newer than the newest one read."""
    name, newest = NEWEST[engine]
    versions = dict.fromkeys(fact.value for fact in facts if fact.field == "engine.version" and isinstance(fact.value, str))
    for version in versions:
        found, limit = _numbers(version), _numbers(newest)
        if found and found[: len(limit)] > limit[: len(found)]:
            yield f"{name} {version} is newer than {newest}, the newest release whose log formats were checked"


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that lead a version, at most three: `0.34.0rc1.dev3+g7d9` is (0, 34), `11600 (0ab12cd3e)` is (11600,)."""
    parts = version.removeprefix("v").split("+")[0].split(" ")[0].split(".")[:3]
    numbers = []
    for part in parts:
        if not part.isdecimal() or len(part) >= 9:
            break
        numbers.append(int(part))
    return tuple(numbers)
