"""Every JSON format of result files: how it is told and what reads it.

Room: `parsers.results`. The list is the only place that names them all; the first that claims a document reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.results import (
    aiperf,
    guidellm,
    inference_perf,
    inferencemax,
    llama_bench,
    llama_benchy,
    llmd,
    llmperf,
    sglang_serving,
    trtllm_bench,
    vllm_offline,
    vllm_serve,
    vllm_twin,
    vllm_wrapped,
)
from kvaudit.parsers.results.figures import Draft
from kvaudit.parsers.results.shape import Shape


@dataclass(frozen=True, slots=True)
class Format:
    """One format: `claims` looks at keys only, `drafts` makes the runs of one value. `yaml`: it is written as YAML too."""

    name: str
    claims: Callable[[Shape], bool]
    drafts: Callable[[Any], Iterator[Draft]]
    yaml: bool = False


FORMATS: tuple[Format, ...] = (
    Format("sglang-bench-serving", sglang_serving.claims, sglang_serving.drafts),
    Format("inferencemax", inferencemax.claims, inferencemax.drafts),
    Format("vllm-bench-serve", vllm_serve.claims, vllm_serve.drafts),
    Format("vllm-bench-sweep", vllm_serve.sweep_claims, vllm_serve.sweep_drafts),
    Format("vllm-pytorch", vllm_twin.claims, vllm_twin.drafts),
    Format("vllm-wrapped", vllm_wrapped.claims, vllm_wrapped.drafts),
    Format("vllm-bench-throughput", vllm_offline.throughput_claims, vllm_offline.throughput_drafts),
    Format("vllm-bench-latency", vllm_offline.latency_claims, vllm_offline.latency_drafts),
    Format("guidellm", guidellm.claims, guidellm.drafts, yaml=True),
    Format("aiperf", aiperf.claims, aiperf.drafts),
    Format("llmperf", llmperf.summary_claims, llmperf.summary_drafts),
    Format("llmperf-individual", llmperf.individual_claims, llmperf.individual_drafts),
    Format("inference-perf", inference_perf.claims, inference_perf.drafts),
    Format("inference-perf-prometheus", inference_perf.server_claims, inference_perf.server_drafts),
    Format("llm-d-benchmark", llmd.claims, llmd.drafts, yaml=True),
    Format("trtllm-bench", trtllm_bench.claims, trtllm_bench.drafts),
    Format("llama-bench", llama_bench.list_claims, llama_bench.drafts),
    Format("llama-bench-lines", llama_bench.line_claims, llama_bench.drafts),
    Format("llama-benchy", llama_benchy.claims, llama_benchy.drafts),
)


def format_of(shape: Shape | None) -> Format | None:
    """The format of a document; None for any other document."""
    return next((one for one in FORMATS if one.claims(shape)), None) if shape else None
