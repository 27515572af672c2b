"""Whether the prompts of a run were meant to be unique, and which share of them the server found in its prefix cache.

Room: `results`. Intent is read from what the run says of its dataset; a dataset that nobody knows leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import Run
from kvaudit.results.formula import value_of
from kvaudit.results.runs import text

_UNIQUE = frozenset({"random", "random-ids", "random-mm", "random-image", "synthetic", "synthetic-text"})
_SHARED = (
    *("prefix", "shared", "sharegpt", "multi-turn", "multi_turn", "multiturn", "conversation", "mooncake", "trace"),
    *("agent", "chat", "repeat"),
)


def meant_unique(run: Run) -> bool | None:
    """True for random prompts without a common prefix, False where prompts share one by intent, None where nothing says."""
    if (run.number("prefix_length") or 0) > 0:
        return False
    dataset = text(run, "dataset")
    if dataset is None:
        return None
    plain = dataset.strip().lower().replace("_", "-").rpartition("/")[2]
    if plain in _UNIQUE:
        return True
    return False if any(word.replace("_", "-") in plain for word in _SHARED) else None


def all_meant_unique(runs: Sequence[Run]) -> bool | None:
    """Whether every run that says something means unique prompts; a server-wide hit rate tells of all runs together."""
    said = [meant_unique(run) for run in runs]
    if False in said:
        return False
    return True if said and None not in said else None


def cached_share(run: Run) -> float | None:
    """Prompt tokens from the prefix cache ÷ prompt tokens, as the client was told."""
    share = value_of("cached_tokens / input_tokens", run)
    return share if share is not None and 0 <= share <= 1 else None
