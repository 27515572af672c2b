"""What an engine's log holds for the service beside it: the manager's own lines, and how long failed starts took.

Room: `parsers.services`. One document has one parser; a journal of an engine holds both voices, so the manager's is added here.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.services.crashes import crash_times
from kvaudit.parsers.services.journal import beside_a_log
from kvaudit.sources.source import Source


def with_manager_lines(source: Source, reading: Reading) -> Reading:
    """The reading of an engine's log with what its lines say about restarts; any other reading as it is."""
    if reading.kind == "engine-log":
        reading.facts = [*reading.facts, *beside_a_log(source), *crash_times(source, reading.starts)]
    return reading
