"""What an engine's log holds for the service beside it: the manager's own lines, and how long failed starts took.

Room: `parsers.services`. One document has one parser; a journal of an engine holds both voices, so the manager's is added here.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Fact, Reading
from kvaudit.parsers.services.crashes import crash_times
from kvaudit.parsers.services.journal import beside_a_log
from kvaudit.sources.source import Source


def manager_facts(source: Source, reading: Reading) -> list[Fact]:
    """What the lines of an engine's log say about restarts, and the time each failed start took."""
    return [*beside_a_log(source), *crash_times(source, reading.starts)]
