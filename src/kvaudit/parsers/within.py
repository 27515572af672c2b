"""Voices that stand in an engine's log beside the engine's: a benchmark client's table, the service manager's lines.

Room: `parsers`. One document has one parser; what another parser knows of it is asked only where a line of it was seen.
"""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.hints import CLIENT_TABLE, MANAGER
from kvaudit.sources.source import Source


def with_manager_lines(source: Source, reading: Reading) -> Reading:
    """The reading of an engine's log with what its lines say about restarts and the time to crash; any other as it is."""
    if reading.kind != "engine-log":
        return reading
    speaks = any(word in raw.data for raw in source.hits for word in MANAGER)
    if speaks or any(start.ready is False for start in reading.starts):
        from kvaudit.parsers.services.beside import manager_facts

        reading.facts = [*reading.facts, *manager_facts(source, reading)]
    return reading


def printed_beside(source: Source, reading: Reading) -> Reading | None:
    """The tables of benchmark clients in the file of an engine's log, None where there are none."""
    if reading.kind != "engine-log" or source.data is None or CLIENT_TABLE not in source.data:
        return None
    from kvaudit.parsers.results.printed import tables_beside

    return tables_beside(source)
