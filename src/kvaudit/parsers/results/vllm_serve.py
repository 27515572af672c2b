"""vLLM `bench serve` and `benchmarks/benchmark_serving.py`: one object per file, or one per line with `--append-result`.

Room: `parsers.results`. Keys of the sources of vLLM 0.6.3 to 0.33. Nothing in the file names the dataset, the seed or the
lengths that were asked for, unless `--metadata` put them there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kvaudit.parsers.results.figures import Draft, Key, at, counts, members, numbers, text
from kvaudit.parsers.results.shape import Shape
from kvaudit.patterns import LatePattern

TOOL = "vllm-bench-serve"

QUANTITIES = {
    "requests": "num_prompts",
    "request_rate": "request_rate",
    "burstiness": "burstiness",
    "max_concurrency": "max_concurrency",
    "duration": "duration",
    "completed": "completed",
    "failed": "failed",
    "input_tokens": "total_input_tokens",
    "request_throughput": "request_throughput",
    "output_throughput": "output_throughput",
    "total_throughput": "total_token_throughput",
    "peak_output_throughput": "max_output_tokens_per_s",
    "peak_concurrency": "max_concurrent_requests",
    "accept_length": "spec_decode_acceptance_length",
    "drafts": "spec_decode_num_drafts",
    "draft_tokens": "spec_decode_draft_tokens",
    "accepted_tokens": "spec_decode_accepted_tokens",
}
METADATA = {
    "dataset": ("dataset_name", "dataset"),
    "seed": ("seed",),
    "input_length": ("random_input_len", "input_len", "isl"),
    "output_length": ("random_output_len", "output_len", "osl"),
    "prefix_length": ("random_prefix_len", "prefix_len"),
    "ignore_eos": ("ignore_eos",),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "max_tokens": ("max_tokens",),
    "warmups": ("num_warmups",),
}
"""What `--metadata key=value` puts at the top of the file, as texts; names of the client's own options."""

FAMILIES = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e"}
_LATENCY = LatePattern(r"^(?P<statistic>mean|median|std|p\d{1,2}(?:\.\d)?)_(?P<family>ttft|tpot|itl|e2el)_ms$")
_DATE = LatePattern(r"^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$")
_USAGE = frozenset({"vllm", "openai", "openai-chat", "openai-comp"})
"""Backends whose client asks for `usage` since 0.7.3."""

_ALWAYS = (
    ("burstiness", "0.6.4", "0.6.5"),
    ("max_output_tokens_per_s", "0.11.0", "0.10"),
    ("failed", "0.11.1", "0.11.1"),
    ("rtfx", "0.17.0", "0.16"),
    ("latencies", "0.30.0", "0.29"),
)
"""Keys that every file of a release holds: the first release that can have it, and the last that can lack it."""
_SOMETIMES = (
    ("endpoint_type", "0.9.0"),
    ("spec_decode_acceptance_length", "0.14.0"),
    ("start_times", "0.15.0"),
    ("probe_completed", "0.28.0"),
    ("server_ttfts", "0.33.0"),
)


def claims(shape: Shape) -> bool:
    """An object with the client's tokenizer or date, and its totals."""
    return not shape.listed and shape.has("tokenizer_id", "duration", "completed", "request_throughput")


def drafts(value: Any) -> Iterator[Draft]:
    """The one run of the object."""
    if isinstance(value, dict):
        yield draft(value)


def draft(value: dict[str, Any], pointer: str = "", tool: str = TOOL) -> Draft:
    """One run of the client's own keys."""
    run = Draft(tool, value, pointer, tool_version=version_range(value))
    run.label, run.model, run.started = text(value.get("label")), text(value.get("model_id")), started(value.get("date"))
    take_figures(run)
    for name, keys in METADATA.items():
        any(run.take(name, key, written=True) for key in keys)
    run.take("endpoint", "backend") or run.take("endpoint", "endpoint_type")
    take_arrays(run)
    return run


def take_figures(run: Draft, *below: Key) -> None:
    """The totals and latencies under the client's names, in the object below some keys."""
    for name, key in QUANTITIES.items():
        run.take(name, *below, key)
    run.take("goodput", *below, "request_goodput") or run.take("goodput", *below, "request_goodput:")
    for key in members(at(run.root, *below)):
        if quantity := latency_of(key):
            run.take(quantity, *below, key)
    value = at(run.root, *below)
    run.take("output_tokens", *below, "total_output_tokens", counted=_counted(value) if isinstance(value, dict) else None)


def latency_of(key: Any) -> str | None:
    """The quantity of a key such as `p99_ttft_ms`."""
    match = _LATENCY.search(key) if isinstance(key, str) else None
    return f"{FAMILIES[match.group('family')]}.{match.group('statistic')}" if match else None


def take_arrays(run: Draft) -> None:
    """What the per-request lists of `--save-detailed` add up to; of failed requests only that they are listed."""
    root = run.root
    good = _succeeded(root)
    for name, key in (("input_lengths", "input_lens"), ("output_lengths", "output_lens")):
        listed = counts(root.get(key))
        if not listed:
            continue
        kept = [item for item, holds in zip(listed, good or [True] * len(listed), strict=False) if holds]
        run.hold(f"{name}.count", len(listed), key)
        run.hold(f"{name}.sum", sum(kept), key)
        if name == "output_lengths" and kept:
            run.hold(f"{name}.min", min(kept), key)
            run.hold(f"{name}.max", max(kept), key)
    _take_chunks(run, good)


def _succeeded(root: dict[str, Any]) -> list[bool]:
    """For each request whether it succeeded: it has no error and an output."""
    lengths, errors = counts(root.get("output_lens")) or [], root.get("errors")
    if isinstance(errors, list) and len(errors) == len(lengths):
        return [not error for error in errors]
    return [length > 0 for length in lengths]


def _take_chunks(run: Draft, good: list[bool]) -> None:
    gaps = run.root.get("itls")
    if not isinstance(gaps, list) or not gaps or not all(isinstance(item, list) for item in gaps):
        return
    kept = [item for item, holds in zip(gaps, good or [True] * len(gaps), strict=False) if holds]
    run.hold("chunks.sum", sum(len(item) + 1 for item in kept), "itls")
    firsts, whole = numbers(run.root.get("ttfts")), numbers(run.root.get("latencies"))
    if firsts and whole and len(firsts) == len(whole) == len(gaps):
        listed = [numbers(item) for item in gaps]
        rows = zip(firsts, whole, listed, good or [True] * len(listed), strict=False)
        off = [abs(begin + sum(item) - all_) for begin, all_, item, holds in rows if holds and item is not None]
        run.hold("latency_gap.max", max(off, default=None), "latencies")


def _counted(value: dict[str, Any]) -> str | None:
    """`usage` of the server where the release asks for it; early releases counted the text again with a tokenizer."""
    modern = any(key in value for key in ("endpoint_type", "max_output_tokens_per_s", "failed"))
    return "usage" if modern and text(value.get("backend", value.get("endpoint_type"))) in _USAGE else None


def version_range(value: dict[str, Any]) -> str | None:
    """The releases that write exactly these keys; None where no release does."""
    lower, upper = "0.6.3", None
    for key, since, before in _ALWAYS:
        if key in value:
            if upper is not None:
                return None
            lower = since
        elif upper is None:
            upper = before
    for key, since in _SOMETIMES:
        if key in value and _parts(since) > _parts(lower):
            lower = since
    if "request_goodput:" in value and (upper is None or _parts(upper) > (0, 9, 1)):
        upper = "0.9.1"
    if upper is not None and _parts(upper) < _parts(lower)[: len(_parts(upper))]:
        return None
    return f"{lower} to {upper}" if upper else f"{lower} or newer"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def started(value: Any) -> str | None:
    """The date of the client, `YYYYMMDD-HHMMSS` in its local time, as ISO 8601 without a zone."""
    match = _DATE.search(value) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = match.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}"


def sweep_claims(shape: Shape) -> bool:
    """The `summary.json` of `bench sweep serve`: a list of the client's objects with the swept parameters in them."""
    return shape.listed and shape.has("tokenizer_id", "duration", "completed", "request_throughput")


def sweep_drafts(value: Any) -> Iterator[Draft]:
    """One run per entry; the number of the repetition is its label."""
    for index, entry in enumerate(value if isinstance(value, list) else []):
        if isinstance(entry, dict):
            run = draft(entry, f"/{index}")
            run.label = run.label or (f"run {number}" if isinstance(number := at(entry, "run_number"), int) else None)
            yield run
