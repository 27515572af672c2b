"""The checklist before a benchmark: eleven questions as data.

Room: `audit`, a table. An item fails where one of its rules fired, and passes only where every rule was answered with no and
every fact it stands on is known; anything else cannot be told. How that is decided stands in `checklist`.
"""

from __future__ import annotations

from dataclasses import dataclass

RESULTS = "results"
ENGINE_LOG = "engine-log"
SNAPSHOT = "gpu-snapshot"


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    `fails`: rules that answer it with no. `kinds`: evidence that every arm must hold. `knows`: fields that every arm must know.
    `moot`: a field and value under which the question of `knows` does not arise.
    """

    id: str
    title: str
    fails: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    knows: tuple[str, ...] = ()
    moot: tuple[str, object] | None = None
    pair: bool = False
    witness: str = ""
    """The name of a further test in `checklist`, where rules and fields do not say it all."""
    compares: tuple[str, ...] = ()
    """Of two arms: errors of rules of these categories fail it, and a fact that the verdict waits for leaves it open."""


_CACHING_OFF = ("kv_cache.prefix_caching", False)

ITEMS: tuple[Item, ...] = (
    Item(
        "unique-prompts",
        "Prompts are unique: no prefix hits that nobody intended",
        fails=("prefix-hits-in-synthetic-load",),
        knows=("runtime.prefix_hit_rate",),
        moot=_CACHING_OFF,
        witness="few_hits",
    ),
    Item(
        "hit-rate-stored",
        "The prefix-cache hit rate is stored with the run",
        knows=("runtime.prefix_hit_rate",),
        moot=_CACHING_OFF,
    ),
    Item(
        "tokens-from-usage",
        "Output tokens come from the server's usage, not from stream chunks",
        fails=("output-tokens-counted-by-chunks",),
        kinds=(RESULTS,),
        witness="counted_by_usage",
    ),
    Item(
        "two-quantities-agree",
        "Figures that must agree do agree",
        fails=("result-quantities-disagree",),
        kinds=(RESULTS,),
    ),
    Item(
        "startup-logs-diffed",
        "The startup logs of both servers were compared, and nothing unnamed differs",
        kinds=(ENGINE_LOG,),
        pair=True,
        compares=("parity", "kv-cache"),
    ),
    Item(
        "checkpoint-inspected",
        "The checkpoint was read: what it states about the KV cache is known",
        fails=("hidden-fp8-kv", "checkpoint-and-log-disagree"),
        knows=("kv_cache.scheme",),
    ),
    Item(
        "rows-labelled",
        "Every results row names weights and settings",
        fails=("row-label-incomplete",),
        kinds=(RESULTS,),
    ),
    Item(
        "one-knob-two-shapes",
        "One setting changed, and both a prefill-heavy and a decode-heavy load were run",
        fails=("several-axes-changed", "weights-and-settings-both-changed", "single-workload-shape"),
        kinds=(RESULTS,),
        pair=True,
    ),
    Item(
        "interval-and-floor",
        "The gain has an interval over at least six runs an arm, and is above the floor",
        fails=("too-few-repetitions", "difference-within-noise", "stable-but-slow"),
        kinds=(RESULTS,),
        pair=True,
    ),
    Item(
        "best-single-change",
        "A combination beats the best single change",
        fails=("combination-not-better-than-best-single",),
        kinds=(RESULTS,),
        pair=True,
    ),
    Item(
        "watchdogs-off",
        "No watchdog can start a neighbour, and the GPU snapshot is stored",
        fails=("watchdog-active", "stray-gpu-tenant", "orphaned-engine-process"),
        kinds=(SNAPSHOT,),
        knows=("service.watchdogs",),
    ),
)
