"""How much of a document has been read, told to whoever watches.

Room: `sources`. Nothing is written here; the command line decides whether anybody wants to see it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, int], None]
"""Takes the name of a document and how many of its bytes have been read, unpacked."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """While it is open, `watcher` is told of every block that is read."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def watcher_of(shown: str) -> Callable[[int], None] | None:
    """What to tell of the document `shown`; None where nobody watches."""
    watcher = _WATCHER.get()
    return (lambda size: watcher(shown, size)) if watcher else None
