"""Words of SGLang's lines as recorded values. A converter returns None for what it does not know: the value is dropped.

Room: pure functions of one string, used by the row tables.
"""

from __future__ import annotations

from kvaudit.parsers.repr_split import mapping
from kvaudit.patterns import LatePattern

_DRAFTER = LatePattern(r"NextN|Eagle|MTP|DFlash|DSpark|Draft|Medusa")
_HEX = LatePattern(r"^[0-9a-f]{40}$")


def text(words: str) -> str | None:
    """The words without surrounding blanks, quotes and a final full stop."""
    return words.strip().strip("'\"").rstrip(".,") or None


def element_type(words: str) -> str | None:
    """A KV element type as the pool names it: `torch.float8_e4m3fn`."""
    return words.strip().strip("'\"").rstrip(".,") or None


def target_architecture(words: str) -> str | None:
    """An architecture class, unless it is a drafter's (`...NextN`, `...MTP`, `DFlash...`)."""
    return None if _DRAFTER.search(words) else text(words)


def commit(words: str) -> str | None:
    """A commit hash of 40 hexadecimal digits."""
    return words if _HEX.search(words) else None


def caches_prefixes(words: str) -> bool | None:
    """Whether a tree cache class reuses prefixes: every class but the chunk caches does."""
    return None if not words else "ChunkCache" not in words


def sampling_defaults(words: str) -> str | None:
    """The sampling parameters that the checkpoint sets, as sorted `k=v` text."""
    values, whole = mapping(words)
    if not whole:
        return None
    return ", ".join(f"{key}={values[key]}" for key in sorted(values)) or "none"


def largest(words: str) -> int | None:
    """The largest number of a list repr."""
    numbers = [int(part) for part in words.replace(",", " ").split() if part.isdigit() and len(part) < 10]
    return max(numbers, default=None)
