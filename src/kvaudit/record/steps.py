"""How the facts of one server become its settled table: the steps in their order, each only where the arm has what it works on.

Room: `record`. Arms differ in what they hold; a step whose clues are not there would change nothing, so it is
not even loaded.
"""

from __future__ import annotations

from collections.abc import Iterable

from kvaudit.parsers.facts import COUNTERS_CLUE, RUN_CLUE, Fact
from kvaudit.record.caching import prove_caching_by_hits
from kvaudit.record.derived import infer_everything
from kvaudit.record.statement import settle_hash, settle_statement
from kvaudit.record.table import FactTable

Notes = dict[str, list[str]]
"""What a step has to say about files of evidence, by path."""

RESULTS = "results"
"""What the names of readers of result files begin with."""

SERVICE = ("clue.service_setting", "clue.launch_command", "clue.empty_argument", "clue.visible_devices")
SNAPSHOT = ("gpu.tenants", "gpu.memory_used_mib", "clue.snapshot_capture")


def settled(facts: list[Fact], *, several: bool, states: bool) -> tuple[FactTable, Notes]:
    """The table of one server, and notes by file.

    `several`: the arm has more servers, so what belongs to nobody in particular counts for none. `states`: the checkpoint's
    statement is not settled yet, as it is in a saved record that stands alone.
    """
    table = FactTable(facts)
    notes: Notes = {}
    _set_apart(table, several=several)
    _add(notes, _services(table))
    if states:
        settle_statement(table)
        settle_hash(table)
    prove_caching_by_hits(table)
    infer_everything(table)
    _add(notes, _results(table))
    prove_caching_by_hits(table)
    _add(notes, _tenants(table))
    return table, notes


def _set_apart(table: FactTable, *, several: bool) -> None:
    if any(origin.reader.startswith(RESULTS) for facts in _all(table) for one in facts for origin in one.origins):
        from kvaudit.record.results import drop_what_servers_differ_in

        drop_what_servers_differ_in(table, several=several)
    if several and COUNTERS_CLUE in table.clues:
        from kvaudit.record.counters.add import set_apart

        set_apart(table)


def _all(table: FactTable) -> Iterable[list[Fact]]:
    return (*table.fields.values(), *table.clues.values())


def _services(table: FactTable) -> Notes:
    if not any(name in table.clues for name in SERVICE) and not any(name.startswith("service.") for name in table.fields):
        return {}
    from kvaudit.record.services.settle import settle_services

    return settle_services(table)


def _results(table: FactTable) -> Notes:
    if RUN_CLUE not in table.clues and not any(name.startswith("result.") for name in table.fields):
        return {}
    from kvaudit.record.result_hits import add_client_hits
    from kvaudit.record.results import settle_results

    notes = settle_results(table)
    add_client_hits(table)
    return notes


def _tenants(table: FactTable) -> Notes:
    if not any(name in table.fields or name in table.clues for name in SNAPSHOT):
        return {}
    from kvaudit.record.tenants.classes import classify_tenants

    return classify_tenants(table)


def _add(notes: Notes, more: Notes) -> None:
    for path, said in more.items():
        notes.setdefault(path, []).extend(said)
