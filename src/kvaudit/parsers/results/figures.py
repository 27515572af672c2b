"""Readers of untrusted figures, and the draft of a run that they fill: a value of the wrong type is no value.

Room: `parsers.results`. No key of any format is named here. NaN and infinities are no figures; only an offered rate may be
infinite, and is then the text `inf`.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, field
from typing import Any

from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.values import words
from kvaudit.parsers.results.run import LATENCIES, STATISTICS, Value, is_quantity

LARGEST = 1e18
MOST_ROWS = 2_000
"""Most per-request rows that a run keeps."""

_LONGEST = 300
_TEXTS = frozenset({"dataset", "endpoint"})
_FLAGS = frozenset({"ignore_eos", "streaming"})
_COUNTS = words(
    """
    requests max_concurrency seed max_tokens choices warmups completed failed input_tokens output_tokens output_tokens_retokenized
    total_tokens cached_tokens gpus draft_tokens accepted_tokens drafts input_lengths.count input_lengths.sum output_lengths.count
    output_lengths.sum output_lengths.min output_lengths.max chunks.sum truncated finished score_items peak_concurrency
    """
)
"""Quantities that are counted: `64.0` is 64."""
Key = str | int


@dataclass(frozen=True, slots=True)
class ServerFact:
    """What a result file says of the server: a field, its value, how strong, and where it stands."""

    field: str
    value: Any
    stage: Stage
    pointer: str
    how: str | None = None


@dataclass(slots=True)
class Draft:
    """One run before its lines are known. `root` is its object, at `pointer` of the document."""

    tool: str
    root: Any
    pointer: str = ""
    tool_version: str | None = None
    label: str | None = None
    model: str | None = None
    started: str | None = None
    values: dict[str, Value] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    server: list[ServerFact] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def take(self, name: str, *keys: Key, scale: float = 1.0, counted: str | None = None, written: bool = False) -> bool:
        """Hold the value below `keys` as the quantity `name`, unless it holds one or there is none; whether it does now.

        `scale` brings it to the unit of the quantity. `written`: a number may stand there as a text.
        """
        return self.hold(name, at(self.root, *keys), *keys, scale=scale, counted=counted, written=written)

    def hold(
        self, name: str, raw: Any, *keys: Key, scale: float = 1.0, counted: str | None = None, written: bool = False
    ) -> bool:
        """Hold `raw`, which stands below `keys`."""
        if not is_quantity(name):
            return False
        if name not in self.values:
            value = _converted(name, raw, scale, written)
            if value is None:
                return False
            self.values[name] = Value(value=value, pointer=self.at(*keys), counted=counted)
        return True

    def statistics(self, family: str, names: dict[str, Key], *keys: Key, scale: float = 1.0) -> None:
        """Hold the statistics of a latency family: `names` maps a statistic to its key in the object below `keys`."""
        for statistic, key in names.items():
            if statistic in STATISTICS and family in LATENCIES:
                self.take(f"{family}.{statistic}", *keys, key, scale=scale)

    def says(self, name: str, value: Any, stage: Stage, *keys: Key, how: str | None = None) -> None:
        """State a field of the server; None states nothing, and neither does a value that the field cannot have."""
        if value is not None and _fits(name, value):
            self.server.append(ServerFact(name, value, stage, self.at(*keys), how))

    def at(self, *keys: Key) -> str:
        """The pointer of `keys` in the document."""
        return self.pointer + pointer_of(*(str(key) for key in keys))


def at(root: Any, *keys: Key) -> Any:
    """The value below a path of keys and indices; None where the path ends early."""
    for key in keys:
        if isinstance(key, int):
            root = root[key] if isinstance(root, list) and 0 <= key < len(root) else None
        else:
            root = root.get(key) if isinstance(root, dict) else None
    return root


def members(value: Any) -> dict[str, Any]:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def number(value: Any) -> float | int | None:
    """A finite number of a sane size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= LARGEST else None  # False for NaN too


def numbers(value: Any) -> list[float | int] | None:
    """A list of finite numbers; None when it is no list or holds anything else."""
    if not isinstance(value, list):
        return None
    found = [number(item) for item in value]
    return [item for item in found if item is not None] if None not in found else None


def written_number(value: Any) -> float | int | None:
    """A number, or a text that is one: CSV cells and metadata of a command line."""
    if not isinstance(value, str):
        return number(value)
    text = value.strip().replace(",", "")
    if not 0 < len(text) <= 40 or "_" in text:
        return None
    try:
        return number(int(text) if text.lstrip("+-").isdecimal() else float(text))
    except ValueError:
        return None


def rate(value: Any) -> float | int | str | None:
    """An offered rate; the text `inf` where it is infinite."""
    if isinstance(value, str) and value.strip().lower() in ("inf", "infinity", "+inf"):
        return "inf"
    if isinstance(value, float) and math.isinf(value) and value > 0:
        return "inf"
    return written_number(value)


def text(value: Any) -> str | None:
    """A short text on one line."""
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST or "\n" in value:
        return None
    return value.strip()


def moment(value: Any) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None for what is no time of this century."""
    seconds = number(value)
    if seconds is None or not 946_684_800 <= seconds <= 4_102_444_800:
        return None
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="seconds")


def flag(value: Any) -> bool | None:
    """A truth value, also written."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def counts(value: Any) -> list[int] | None:
    """A list of whole numbers of zero or more."""
    found = numbers(value)
    return [int(item) for item in found] if found is not None and all(item >= 0 and item == int(item) for item in found) else None


def _fits(name: str, value: Any) -> bool:
    row = FIELDS.get(name)
    if row is None:
        return isinstance(value, str | int | float)
    if row.type in ("list", "object"):
        return False
    if row.type in ("text", "bool"):
        return isinstance(value, bool) if row.type == "bool" else text(value) is not None
    return number(value) is not None and (row.type == "number" or isinstance(value, int))


def _converted(name: str, raw: Any, scale: float, written: bool) -> Any:
    if name in _TEXTS:
        return text(raw)
    if name in _FLAGS:
        return flag(raw)
    if name == "request_rate":
        return rate(raw)
    value = written_number(raw) if written else number(raw)
    if value is not None and scale != 1.0:
        value = number(value * scale)
    whole = isinstance(value, float) and value.is_integer() and name in _COUNTS
    return int(value) if whole and value is not None else value
