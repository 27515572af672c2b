"""Whether the prompts of a run were meant to be unique, and which share of them the server found in its prefix cache.

Room: `results`. Intent is read from what the run says of its dataset; a dataset that nobody knows leaves it open.
"""

from __future__ import annotations

from collections.abc import Sequence

from kvaudit.parsers.results.run import Run
from kvaudit.record.model import Record
from kvaudit.results.formula import value_of
from kvaudit.results.runs import text

_UNIQUE = frozenset({"random", "random-ids", "random-mm", "random-image", "synthetic", "synthetic-text"})
_SHARED = (
    *("prefix", "shared", "sharegpt", "multi-turn", "multi_turn", "multiturn", "conversation", "mooncake", "trace"),
    *("agent", "chat", "repeat"),
)


def meant_unique(run: Run) -> bool | None:
    """True for random prompts without a common prefix, False where prompts share one by intent, None where nothing says."""
    return _intent(text(run, "dataset"), run.number("prefix_length"))


def all_meant_unique(runs: Sequence[Run], record: Record | None = None) -> bool | None:
    """Whether every run means unique prompts; a server-wide hit rate tells of all runs together.

    A run that does not say is taken by what the client's command in the evidence asks for, if it asks for one thing.
    """
    asked = _asked(record) if record is not None else None
    said = [meant if (meant := meant_unique(run)) is not None else asked for run in runs] or [asked]
    if False in said or asked is False:
        return False
    return True if None not in said else None


def _asked(record: Record) -> bool | None:
    dataset, prefix = (record.value(f"result.{name}") for name in ("dataset", "prefix_length"))
    if isinstance(prefix, list):
        prefix = max((one for one in prefix if isinstance(one, int | float)), default=None)
    named = dataset if isinstance(dataset, str) else None
    return _intent(named, float(prefix) if isinstance(prefix, int | float) else None)


def _intent(dataset: str | None, prefix: float | None) -> bool | None:
    if prefix and prefix > 0:
        return False
    if dataset is None:
        return None
    plain = dataset.strip().lower().replace("_", "-").rpartition("/")[2]
    if plain in _UNIQUE:
        return True
    return False if any(word.replace("_", "-") in plain for word in _SHARED) else None


def cached_share(run: Run) -> float | None:
    """Prompt tokens from the prefix cache ÷ prompt tokens, as the client was told."""
    share = value_of("cached_tokens / input_tokens", run)
    return share if share is not None and 0 <= share <= 1 else None
