"""llama-benchy: one entry per prompt size, context and concurrency, each figure the mean of a few repetitions.

Room: `parsers.results`. Keys of 0.4. It counts the tokens of a stream itself; `prefix_caching_enabled` says how it measures, not
what the server does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, at, text
from kvaudit.parsers.results.shape import Shape

_FIGURES = {
    "max_concurrency": ("concurrency",),
    "input_length": ("prompt_size",),
    "output_length": ("response_size",),
    "prefix_length": ("context_size",),
    "input_throughput": ("pp_throughput", "mean"),
    "output_throughput": ("tg_throughput", "mean"),
    "peak_output_throughput": ("peak_throughput", "mean"),
    "ttft.mean": ("e2e_ttft", "mean"),
    "ttft.std": ("e2e_ttft", "std"),
}


def claims(shape: Shape) -> bool:
    """Benchmarks with the throughput of prompt and generation."""
    return not shape.listed and shape.has("benchmarks") and '"tg_throughput"' in shape.head and '"prompt_size"' in shape.head


def drafts(value: Any) -> Iterator[Draft]:
    """One run per entry."""
    entries = at(value, "benchmarks")
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict):
            run = Draft("llama-benchy", value, tool_version=text(at(value, "version")), model=text(at(value, "model")))
            run.started = text(at(value, "timestamp"))
            for name, keys in _FIGURES.items():
                if not (name == "prefix_length" and at(entry, *keys) == 0):
                    run.take(name, "benchmarks", index, *keys)
            yield run
