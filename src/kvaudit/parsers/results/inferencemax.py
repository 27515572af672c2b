"""InferenceMAX / InferenceX, aggregated (`utils/process_result.py`): figures per GPU, latencies in seconds without a suffix.

Room: `parsers.results`. The raw files are those of vLLM's client. Lengths are nominal: real prompts are 0.8 to 1.0 of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.patterns import LatePattern

_FIGURES = {
    "max_concurrency": "conc",
    "input_length": "isl",
    "output_length": "osl",
    "total_throughput_per_gpu": "tput_per_gpu",
    "output_throughput_per_gpu": "output_tput_per_gpu",
    "input_throughput_per_gpu": "input_tput_per_gpu",
    "gpus": "num_gpus",
}
_FAMILIES = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e"}
_LATENCY = LatePattern(r"^(?P<statistic>mean|median|std|p\d{1,2}(?:\.\d)?)_(?P<family>ttft|tpot|itl|e2el)$")


def claims(shape: Shape) -> bool:
    """Throughput per GPU beside the hardware and the framework; alone or in a list."""
    return shape.has("tput_per_gpu", "hw", "conc") and (shape.has("infmax_model_prefix") or shape.has("framework"))


def drafts(value: Any) -> Iterator[Draft]:
    """One run per object."""
    for index, one in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(one, dict) and "tput_per_gpu" in one:
            run = Draft("inferencemax", one, f"/{index}" if isinstance(value, list) else "")
            run.model = text(one.get("model"))
            parts = [text(one.get(key)) for key in ("hw", "framework", "precision", "spec_decoding")]
            run.label = " ".join(part for part in parts if part) or None
            for name, key in _FIGURES.items():
                run.take(name, key, written=True)
            for key in one:
                if match := _LATENCY.search(str(key)):
                    run.take(f"{_FAMILIES[match.group('family')]}.{match.group('statistic')}", key, scale=1000.0)
            yield run
