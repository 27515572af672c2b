"""The clocks of a capture: when it began and ended, the zone of this machine, how far the server's clock is off.

Room: `capture`. A log stamps local time without a zone; with these a reader can lay log, snapshot and results beside each other.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from kvaudit.capture.fetching import Answer


def iso(seconds: float) -> str:
    """A moment as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def clocks(started: float, answers: Iterable[Answer]) -> dict[str, Any]:
    """The clocks for the manifest; the server's is known to the second, where it stamps its answers."""
    now = time.time()
    stamps = [stamp for answer in answers if (stamp := _stamp(answer)) is not None]
    offset = datetime.fromtimestamp(now).astimezone().utcoffset()
    return {
        "started": iso(started),
        "ended": iso(now),
        "utc_offset_seconds": int(offset.total_seconds()) if offset is not None else None,
        "server_first_stamp": iso(min(stamps)) if stamps else None,
        "server_behind_seconds": round(started - min(stamps)) if stamps else None,
    }


def _stamp(answer: Answer) -> float | None:
    try:
        return parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return None
