"""Why a log says nothing about the KV cache: since May 2026 (between b9093 and b9181) the default verbosity hides it.

Room: the reason and the remedy for fields that stay unknown. Verbosity 3 prints the server's own lines; the library's lines about
types, sizes, placement and offload need 4. `-v` would print dry runs too, so `-lv 4` is what to ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.parsers.llama_cpp.outcome import Outcome
from kvaudit.parsers.llama_cpp.parts import Context

if TYPE_CHECKING:
    from kvaudit.parsers.llama_cpp.start import StartBuilder

LOUD_ENOUGH = 4
REMEDY = "start again with -lv 4 (LLAMA_ARG_LOG_VERBOSITY=4) and take that log"
TOO_EARLY = "the start ended before it created its KV cache"
HIDDEN = (
    "kv_cache.dtype",
    "kv_cache.tokens",
    "kv_cache.memory_gib",
    "kv_cache.placement",
    "attention.backend",
    "offload.gpu_layers",
    "scheduler.max_num_batched_tokens",
    "model.architecture",
    "model.quantization",
    "model.weights_gib",
)


def explain(start: StartBuilder, context: Context | None, outcome: Outcome) -> None:
    """Add the clue that says why the KV fields are unknown, where they are."""
    if context is not None and context.holds_cache:
        return
    because, origins = None, []
    if outcome.ready is False:
        because = TOO_EARLY
    elif start.verbosity is not None and start.verbosity[0] < LOUD_ENOUGH:
        level, record, at = start.verbosity
        because = f"the log was written at verbosity {level}, which hides the lines about the KV cache; {REMEDY}"
        origins = [start.collector.origin(record, at, "verbosity")]
    elif start.serves_alone and outcome.ready and start.life.ready is not None and not _library_spoke(start):
        because = f"the log holds the server's own lines only, none of the library about the KV cache; {REMEDY}"
        origins = [start.collector.origin(start.life.ready, 0, "verbosity")]
    if because:
        start.collector.append("clue.why_unknown", {"fields": list(HIDDEN), "because": because}, origins)


def _library_spoke(start: StartBuilder) -> bool:
    """Whether lines of the library that only a loud log holds were seen; its warnings stand in a quiet one too."""
    return any(load.seen or any("cells" in context.seen for context in load.contexts) for load in start.loads)
