"""One run of a benchmark client, whatever tool wrote it: each figure under one name, in one unit, with its place in the file.

Room: `parsers`, the border to `results`. Shapes and names only. A figure is here because the file prints it; what follows from
several figures (identities, tokens per chunk, corrections) belongs to `results`.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

LATENCIES: dict[str, str] = {
    "ttft": "time to the first token",
    "tpot": "time per output token after the first, by tokens",
    "itl": "gap between two events of the stream",
    "e2e": "time of a whole request",
}
"""Latency families; a quantity is `<family>.<statistic>`, in milliseconds."""

_LARGEST = 1.7976931348623157e308
"""What a float holds: a JSON file may state whole numbers of any length."""

STATISTICS: tuple[str, ...] = ("mean", "median", "std", "min", "max", "p50", "p75", "p90", "p95", "p99", "p99.9")

QUANTITIES: dict[str, tuple[str | None, str]] = {
    "requests": (None, "requests planned"),
    "request_rate": ("req/s", "offered rate; the text `inf` = closed loop or all at once"),
    "burstiness": (None, "shape of the arrivals, 1.0 = Poisson"),
    "max_concurrency": (None, "most requests in flight that the client allows"),
    "input_length": ("tokens", "input length asked for, per request"),
    "output_length": ("tokens", "output length asked for, per request"),
    "prefix_length": ("tokens", "prefix that prompts share, as asked for"),
    "dataset": (None, "dataset or generator of the prompts"),
    "seed": (None, "seed of the prompts"),
    "ignore_eos": (None, "generation went on past the end-of-sequence token"),
    "endpoint": (None, "kind of endpoint or backend the client spoke to"),
    "temperature": (None, "sampling temperature asked for"),
    "top_p": (None, "nucleus asked for"),
    "max_tokens": ("tokens", "limit of the output asked for"),
    "choices": (None, "answers per request (`n`)"),
    "streaming": (None, "the client read a stream"),
    "warmups": (None, "requests before the measured window"),
    "completed": (None, "requests that succeeded"),
    "failed": (None, "requests that failed"),
    "duration": ("s", "first scheduling to last completion"),
    "input_tokens": ("tokens", "prompt tokens of all successful requests"),
    "output_tokens": ("tokens", "output tokens of all successful requests, as the client reports them"),
    "output_tokens_retokenized": ("tokens", "output tokens counted again from the text"),
    "total_tokens": ("tokens", "input and output tokens"),
    "cached_tokens": ("tokens", "prompt tokens the server took from its prefix cache"),
    "prefix_hit_rate": ("fraction", "share of the prompt tokens found in the prefix cache, as the tool took it from the server"),
    "request_throughput": ("req/s", ""),
    "input_throughput": ("tok/s", ""),
    "output_throughput": ("tok/s", ""),
    "total_throughput": ("tok/s", "input and output tokens"),
    "peak_output_throughput": ("tok/s", "most stream events counted as tokens in one second"),
    "output_throughput_per_gpu": ("tok/s", ""),
    "input_throughput_per_gpu": ("tok/s", ""),
    "total_throughput_per_gpu": ("tok/s", ""),
    "gpus": (None, "GPUs that the file divides by"),
    "concurrency": (None, "mean requests in flight"),
    "peak_concurrency": (None, "most requests in flight in one bucket, as the tool counts"),
    "goodput": ("req/s", "requests within the service level"),
    "accept_length": ("tokens", "tokens per speculative step, as the server counted"),
    "draft_tokens": ("tokens", "drafted tokens"),
    "accepted_tokens": ("tokens", "accepted draft tokens"),
    "drafts": (None, "speculative steps"),
    "tokens_per_iteration": ("tokens", "tokens per stream event, as the tool counted them"),
    "stream_interval": ("tokens", "tokens per stream event, as the server was set"),
    "mean_input_length": ("tokens", "mean prompt length measured"),
    "mean_output_length": ("tokens", "mean output length measured"),
    "output_speed": ("tok/s", "mean over the requests of 1 / time per output token"),
    "input_lengths.count": (None, "per-request prompt lengths listed"),
    "input_lengths.sum": ("tokens", "of the successful requests"),
    "output_lengths.count": (None, "per-request output lengths listed"),
    "output_lengths.sum": ("tokens", "of the successful requests"),
    "output_lengths.min": ("tokens", "of the successful requests"),
    "output_lengths.max": ("tokens", ""),
    "chunks.sum": (None, "stream events over all requests: Σ (gaps + 1)"),
    "latency_gap.max": ("s", "largest |ttft + Σ itl − latency| of one request"),
    "truncated": (None, "requests that ended because of the length limit"),
    "finished": (None, "requests whose reason to end is listed"),
    "score": (None, "metric of an accuracy run"),
    "score_items": (None, "questions of an accuracy run"),
}
"""Name -> unit and meaning of what a result file can state, besides the latency statistics."""


class Value(BaseModel):
    """One figure and where it stands: `pointer` in the file (JSON Pointer, or column name), `line` 1-based where it is known.

    `counted` says how the tool came to a token figure where the format or the file tells: `usage`, `retokenized`, `requested`,
    `chunks`.
    """

    model_config = ConfigDict(frozen=True)

    value: Any
    pointer: str | None = None
    line: int | None = None
    counted: str | None = None
    file: str | None = None
    """Where another file than the run's own states it: the twin of a result file, the client's printed table."""


class Run(BaseModel):
    """One run: the tool by its own name (`vllm-bench-serve`, `sglang-bench-serving`, …) and its figures by quantity name."""

    model_config = ConfigDict(frozen=True)

    tool: str
    tool_version: str | None = None
    """As printed, or a range that the keys of the file prove, such as `0.11.2 to 0.15`."""
    file: str
    pointer: str | None = None
    """Of the object that is this run; None where the whole file is one."""
    line: int | None = None
    label: str | None = None
    model: str | None = None
    started: str | None = None
    """ISO 8601 where the file prints a date; with its zone only where the file has one."""
    values: dict[str, Value] = {}
    requests: list[dict[str, Any]] = []
    """Per-request rows where an identity needs them (llmperf, streams): a bounded number. Their keys are names of quantities
    (`input_tokens`, `output_tokens`, `output_throughput`, `chunks`, …), `ttft` and `e2e` in milliseconds, and `error`."""

    def number(self, name: str) -> float | None:
        """A finite number of that name; None where the file has none."""
        held = self.values.get(name)
        if held is None or isinstance(held.value, bool) or not isinstance(held.value, int | float):
            return None
        return float(held.value) if abs(held.value) <= _LARGEST else None


def unit_of(name: str) -> str | None:
    """The unit of a quantity: milliseconds for every latency statistic."""
    return QUANTITIES[name][0] if name in QUANTITIES else "ms"


def is_quantity(name: str) -> bool:
    """Whether a name is one that runs may hold."""
    family, _, statistic = name.partition(".")
    return name in QUANTITIES or (family in LATENCIES and statistic in STATISTICS)
