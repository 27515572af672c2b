"""What metrics dumps give to later rooms: the counters of one dump, and the window that two dumps enclose.

Room: `parsers`, the border to `record` and `results`. Shapes and names only. Rates, differences and what follows from them are
made elsewhere.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from kvaudit.parsers.facts import Origin

QUANTITIES: dict[str, str] = {
    "prompt_tokens": "prompt tokens of all requests, cached ones included",
    "prompt_tokens_computed": "prompt tokens that were computed: neither cached nor transferred",
    "generation_tokens": "tokens generated",
    "requests": "requests that ended, aborted and failed ones not counted where the engine tells them apart",
    "prefix_queries": "what was looked up in the engine's own prefix cache, in `prefix_unit`",
    "prefix_hits": "what was found there",
    "external_prefix_queries": "tokens looked up in a KV connector's cache",
    "external_prefix_hits": "tokens found there",
    "preemptions": "running requests put back into the queue",
    "drafts": "speculative steps",
    "draft_tokens": "tokens drafted",
    "accepted_tokens": "drafted tokens accepted",
    "emitted_tokens": "tokens emitted by speculative steps (vLLM V0)",
    "lmcache_requested_tokens": "tokens asked of LMCache: another tier, never the engine's prefix cache",
    "lmcache_hit_tokens": "tokens LMCache had",
}
"""Name -> meaning of what counters can say, whatever the engine calls it."""


class Counters(BaseModel):
    """The counters of one scrape.

    `engine` is empty where the file does not name it. `values` are sums over the data-parallel engines of one server;
    `by_reason` counts ended requests by their reason. `lines` are the 1-based lines of a quantity's samples, `series` their
    label sets (only labels that tell servers and engines apart). `started` is the process's start in seconds since 1970 (or
    an engine's own clock: only equality counts), `created` the stamp at which a quantity's first series was made, `clock` the
    processor seconds the server has used. `cut` says that the dump breaks off. `mixed` says why the scrape is not one server's.
    """

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    file: str
    engine: str
    values: dict[str, float] = {}
    by_reason: dict[str, float] = {}
    lines: dict[str, list[int]] = {}
    series: dict[str, list[str]] = {}
    prefix_unit: str | None = None
    models: list[str] = []
    processes: list[str] = []
    started: float | None = None
    created: dict[str, float] = {}
    clock: float | None = None
    cut: bool = False
    mixed: str | None = None
    hit_rate_gauge: float | None = None
    """vLLM V0's prefix hit rate of the server's whole life; a gauge, so no difference of two means anything."""


class Window(BaseModel):
    """What counters gained between two dumps, or since the server's start.

    `since` is `start` or `dump`. `whole` says that it is the one window of the arm's dumps: of one server, from the first dump
    to the last. `missing` says of a quantity why it has no difference; `refused` why there is none at all.
    """

    model_config = ConfigDict(frozen=True)

    engine: str
    models: list[str] = []
    files: list[str]
    since: str
    whole: bool = True
    deltas: dict[str, float] = {}
    by_reason: dict[str, float] = {}
    prefix_unit: str | None = None
    origins: dict[str, list[Origin]] = {}
    missing: dict[str, str] = {}
    refused: str | None = None
    dumps: int = 1
    """How many dumps the window spans."""
