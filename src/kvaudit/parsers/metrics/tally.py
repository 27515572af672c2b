"""The counters of one scrape, under the names that all engines share.

Room: `parsers`. Sums over the data-parallel engines of one server, nothing else: no rates, no differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kvaudit.parsers.facts import COUNTERS_CLUE, Fact, Origin
from kvaudit.parsers.metrics.exposition import Sample, Scrape
from kvaudit.parsers.metrics.names import (
    COUNTERS,
    ENGINES,
    NOT_SERVED,
    OWN_LABELS,
    PREFIX,
    RANK_LABELS,
    REASON,
    SERVER_LABELS,
    Sum,
)
from kvaudit.parsers.metrics.shapes import Counters
from kvaudit.parsers.tables import fact

Locate = Callable[[Sample, str], Origin]

_ENGINES = tuple(prefix for prefix, _ in ENGINES)
_GAUGE = "vllm:gpu_prefix_cache_hit_rate"
_MOST_ORIGINS = 8
"""Samples shown of one quantity; a server of many engines has more, and the sum is of all."""


def counters_fact(scrape: Scrape, engine: str, path: str, started: float | None, locate: Locate) -> Fact | None:
    """The clue of one scrape; None where it holds no counter of the engine and none of LMCache."""
    own = [one for one in scrape.samples if one.name.startswith(_ENGINES)]
    by_name = _by_name(one for one in scrape.samples if one.name not in scrape.cut and (one.value >= 0 or one.name == _GAUGE))
    chosen = {**_chosen(by_name, engine), **_chosen(by_name, "lmcache")}
    prefix, unit = _prefix(by_name, scrape, engine)
    chosen |= prefix
    chosen |= _computed(by_name)
    if not chosen and _GAUGE not in by_name:
        return None
    read = list(dict.fromkeys(id(one) for held in chosen.values() for one in held[:_MOST_ORIGINS]))
    shown = {id(one): one for held in chosen.values() for one in held}
    counters = Counters(
        file=path,
        engine=engine,
        values={name: _total(name, held) for name, held in chosen.items()},
        by_reason=_by_reason(chosen.get("requests", [])),
        lines={name: [one.line for one in held[:_MOST_ORIGINS]] for name, held in chosen.items()},
        series={name: sorted({_series(one) for one in held}) for name, held in chosen.items()},
        prefix_unit=unit,
        models=_label_values(own, "model_name"),
        processes=_label_values(own, "pid"),
        started=started if started is not None else _only(by_name.get("process_start_time_seconds", [])),
        created=_created(chosen, by_name),
        clock=_only(by_name.get("process_cpu_seconds_total", [])),
        cut=bool(scrape.cut),
        mixed=_mixed(own),
        hit_rate_gauge=_only(by_name.get(_GAUGE, [])),
    )
    origins = [locate(shown[one], shown[one].name) for one in read] + [locate(one, _GAUGE) for one in by_name.get(_GAUGE, [])[:1]]
    return fact(COUNTERS_CLUE, counters.model_dump(), "observed", origins)


def _by_name(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Samples by name; of the ranks of one scheduler, which all count the same requests, only the first."""
    found: dict[str, dict[tuple[tuple[str, str], ...], Sample]] = {}
    for one in samples:
        others = tuple(sorted(item for item in one.labels.items() if item[0] not in RANK_LABELS))
        held = found.setdefault(one.name, {})
        if others not in held or _ranks(one) < _ranks(held[others]):
            held[others] = one
    return {name: list(held.values()) for name, held in found.items()}


def _ranks(one: Sample) -> list[str]:
    return [one.labels.get(label, "").rjust(6) for label in RANK_LABELS]


def _chosen(by_name: dict[str, list[Sample]], engine: str) -> dict[str, list[Sample]]:
    out = {}
    for quantity, sums in COUNTERS.get(engine, {}).items():
        held = next((one for one in (_all_of(by_name, names) for names in sums) if one), None)
        if held:
            out[quantity] = held
    return out


def _all_of(by_name: dict[str, list[Sample]], names: Sum) -> list[Sample]:
    """The samples of a sum; none where one of its names is not there."""
    return [one for name in names for one in by_name[name]] if all(name in by_name for name in names) else []


def _prefix(by_name: dict[str, list[Sample]], scrape: Scrape, engine: str) -> tuple[dict[str, list[Sample]], str | None]:
    """Queries and hits of the first family that is there whole, else the queries of the first that has any."""
    pairs = [(_all_of(by_name, queries), _all_of(by_name, hits), unit) for queries, hits, unit in PREFIX.get(engine, ())]
    pairs = sorted((pair for pair in pairs if pair[0]), key=lambda pair: not pair[1])
    if not pairs:
        return {}, None
    queries, hits, unit = pairs[0]
    unit = unit or _unit_said(scrape.help.get(queries[0].name.removesuffix("_total"), ""))
    return {"prefix_queries": queries, **({"prefix_hits": hits} if hits else {})}, unit


def _unit_said(text: str) -> str | None:
    return next((unit for unit in ("blocks", "tokens") if unit in text), None)


def _computed(by_name: dict[str, list[Sample]]) -> dict[str, list[Sample]]:
    """The prompt tokens that were computed: vLLM 0.16 and later tells them by their source."""
    held = [one for one in by_name.get("vllm:prompt_tokens_by_source_total", []) if one.labels.get("source") == "local_compute"]
    return {"prompt_tokens_computed": held} if held else {}


def _total(quantity: str, held: list[Sample]) -> float:
    return sum(one.value for one in held if quantity != "requests" or one.labels.get(REASON) not in NOT_SERVED)


def _by_reason(held: list[Sample]) -> dict[str, float]:
    out: dict[str, float] = {}
    for one in held:
        reason = one.labels.get(REASON)
        if reason is not None:
            out[reason] = out.get(reason, 0.0) + one.value
    return out


def _series(one: Sample) -> str:
    return ",".join(f"{label}={value}" for label, value in sorted(one.labels.items()) if label not in OWN_LABELS)


def _label_values(samples: Iterable[Sample], label: str) -> list[str]:
    return sorted({one.labels[label] for one in samples if label in one.labels})[:_MOST_ORIGINS]


def _only(held: list[Sample]) -> float | None:
    """The value that all samples share."""
    values = {one.value for one in held}
    return values.pop() if len(values) == 1 else None


def _created(chosen: dict[str, list[Sample]], by_name: dict[str, list[Sample]]) -> dict[str, float]:
    """When the first series of each quantity was made, where prometheus_client's single-process mode tells."""
    out = {}
    for quantity, held in chosen.items():
        stamps = [one.value for one in by_name.get(f"{held[0].name.removesuffix('_total')}_created", [])]
        if stamps:
            out[quantity] = min(stamps)
    return out


def _mixed(held: list[Sample]) -> str | None:
    """Why the samples are not one server's: a scraper's labels, or several models."""
    for label in (*SERVER_LABELS, "model_name"):
        values = _label_values(held, label)
        if len(values) > 1:
            return f"one dump holds the counters of several servers ({label} {', '.join(values[:3])})"
    return None
