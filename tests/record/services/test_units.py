"""Units of an arm: which one is the run's, what drop-ins change, and what launch commands may say."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.services.settle import settle_services
from kvaudit.record.table import FactTable
from tests.record.builders import said


def setting(
    service: str, key: str, value: Any, *, manager: str = "systemd", section: str = "Service", document: str = "", line: int = 5,
    stage: Stage = "requested",
) -> Fact:  # fmt: skip
    """One setting of a unit, from a file of its own name."""
    held = {"manager": manager, "service": service, "document": document, "section": section, "key": key, "value": value}
    origin = Origin(file=document or service, line=line, excerpt=f"{key}={value}", reader="systemd:unit")
    return fact("clue.service_setting", held, stage, [origin])


def launch(service: str | None, engine: str = "vllm", model: str = "acme/atlas-13b", file: str = "", line: int = 7) -> list[Fact]:
    """A server's command with what it asks for, all on one line."""
    origin = Origin(file=file or service or "start.sh", line=line, excerpt="vllm serve", reader="systemd:unit")
    held = {"engine": engine, "model": model, "service": service, "lines": [line, line]}
    asked = {
        "engine.name": engine,
        "model.path": model,
        "model.max_len": 8192,
        "run.args": {"model": model, "max_model_len": 8192},
    }
    return [fact("clue.launch_command", held, "requested", [origin])] + [
        fact(name, value, "requested", [origin]) for name, value in asked.items()
    ]


def settled(*facts: Fact) -> FactTable:
    """The table with services settled."""
    table = FactTable(list(facts))
    settle_services(table)
    return table


UNIT = [
    setting("atlas.service", "Restart", "on-failure"),
    setting("atlas.service", "RestartSec", "15"),
    setting("atlas.service", "StartLimitBurst", "5", section="Unit"),
    setting("atlas.service", "StartLimitIntervalSec", "300", section="Unit"),
]
LOG = [said("engine.name", "vllm"), said("model.path", "/models/atlas-13b")]


def test_settings_become_fields() -> None:
    table = settled(*UNIT, setting("atlas.service", "NRestarts", 7, section="", stage="observed"))
    assert table.value("service.restart") == "on-failure"
    assert table.value("service.start_limit") == "5/300"
    assert table.value("service.restarts") == 7


def test_a_drop_in_changes_what_it_names_and_leaves_the_rest() -> None:
    later = setting("atlas.service", "Restart", "always", document="20-a.conf")
    earlier = setting("atlas.service", "Restart", "no", document="10-b.conf")
    table = settled(later, *UNIT, earlier)
    assert table.value("service.restart") == "always"
    assert table.value("service.start_limit") == "5/300"


def test_what_the_manager_shows_beats_the_files() -> None:
    table = settled(*UNIT, setting("atlas.service", "Restart", "always", section="show", stage="resolved"))
    assert table.value("service.restart") == "always"


def test_a_loose_drop_in_belongs_to_the_only_unit() -> None:
    table = settled(*UNIT, setting("override.conf", "Restart", "always", document="override.conf"))
    assert table.value("service.restart") == "always"


def test_a_drop_in_alone_leaves_the_limit_open() -> None:
    table = settled(setting("atlas.service", "Restart", "always", document="x.conf"))
    assert table.value("service.restart") == "always"
    assert table.state("service.start_limit").state == "unknown"


@pytest.mark.parametrize(
    ("changes", "limit", "how"),
    [
        ([], "5/10", "systemd's default"),
        ([("StartLimitBurst", "3", "Unit")], "3/10", "the interval is not set"),
        ([("StartLimitIntervalSec", "60", "Unit")], "5/60", "the number of starts is not set"),
        ([("StartLimitIntervalSec", "600", "Service"), ("StartLimitBurst", "3", "Service")], "3/10", "is ignored"),
        ([("StartLimitInterval", "600", "Service"), ("StartLimitBurst", "3", "Service")], "3/600", None),
        ([("StartLimitIntervalSec", "infinity", "Unit"), ("StartLimitBurst", "3", "Unit")], "3/infinity", None),
        ([("StartLimitIntervalSec", "0", "Unit")], "5/0", "the number of starts"),
    ],
)
def test_the_limit_that_is_in_force(changes: list[tuple[str, str, str]], limit: str, how: str | None) -> None:
    found = [setting("atlas.service", key, value, section=section) for key, value, section in changes]
    table = settled(UNIT[0], *found)
    assert table.value("service.start_limit") == limit
    (told,) = table.fields["service.start_limit"]
    assert told.how is None if how is None else how in str(told.how)
    assert told.origins


def test_a_unit_without_a_policy_is_not_restarted() -> None:
    table = settled(setting("atlas.service", "Type", "oneshot"))
    state = table.state("service.restart")
    assert (state.state, state.because) == ("absent", "atlas.service sets no restart policy, so its manager does not restart it")


def test_of_several_units_the_one_that_starts_the_logs_engine_is_the_runs() -> None:
    other = [setting("chat.service", "Restart", "always"), setting("chat.service", "Type", "simple")]
    table = settled(*LOG, *UNIT, *launch("atlas.service"), *other, *launch("chat.service", "llama_cpp", "/m/chat.gguf"))
    assert table.value("service.restart") == "on-failure"
    assert [one.value for one in table.fields["engine.name"]] == ["vllm", "vllm"]


def test_a_unit_that_starts_another_server_is_not_the_runs() -> None:
    other = [setting("chat.service", "Restart", "always"), *launch("chat.service", "llama_cpp", "/m/chat.gguf")]
    table = settled(*LOG, *other)
    assert table.state("service.restart").state == "unknown"
    assert "run.args" not in table.fields
    (dropped,) = table.clues["clue.launch_command"]
    assert dropped.value["dropped"] == "starts llama_cpp with /m/chat.gguf, which is not what the log shows"
    again = FactTable(
        [*LOG, other[0], *(one for held in table.clues.values() for one in held if one.field != "clue.service_setting")]
    )
    settle_services(again)
    assert again.state("service.restart").state == "unknown", "a saved record says the same"


def test_equal_units_keep_their_names_and_different_ones_are_a_map() -> None:
    pair = [*launch("a.service"), *launch("b.service")]
    same = settled(setting("a.service", "Restart", "always"), setting("b.service", "Restart", "always"), *pair)
    assert same.value("service.restart") == "always"
    assert {one.scope for one in same.fields["service.restart"]} == {"a.service", "b.service"}
    different = settled(setting("a.service", "Restart", "always"), setting("b.service", "Restart", "no"), *pair)
    assert different.value("service.restart") == {"a.service": "always", "b.service": "no"}
    counts = [
        setting(name, "NRestarts", count, section="", stage="observed") for name, count in (("a.service", 2), ("b.service", 9))
    ]
    assert settled(*pair, *counts).value("service.restarts") == 9


def test_the_managers_counter_of_another_unit_is_not_this_ones() -> None:
    table = settled(*UNIT, setting("other.service", "NRestarts", 9, section="", stage="observed"))
    assert table.state("service.restarts").state == "unknown"


def test_a_file_without_a_telling_name_is_the_unit_that_the_manager_shows() -> None:
    named = setting("atlas.service", "NRestarts", 9, section="show", stage="observed")
    table = settled(setting("unit.service", "Restart", "always"), named)
    assert (table.value("service.restart"), table.value("service.restarts")) == ("always", 9)


def test_a_replaced_command_asks_for_nothing() -> None:
    command = setting("atlas.service", "command", ["vllm", "serve", "acme/atlas-13b"], line=7)
    reset = setting("atlas.service", "ExecStart", "", document="x.conf")
    again = setting("atlas.service", "command", ["/opt/other"], document="x.conf", line=3)
    table = settled(*UNIT, command, *launch("atlas.service"), reset, again)
    assert "model.path" not in table.fields
    assert table.value("service.command") == ["/opt/other"]


def test_the_engines_own_echo_beats_a_command_that_says_otherwise() -> None:
    echo = [said("model.max_len", 4096, "requested"), said("run.args", {"model": "acme/atlas-13b"}, "requested")]
    table = settled(*LOG, *echo, *launch(None))
    assert [one.value for one in table.fields["model.max_len"]] == [4096]
    assert table.value("run.args") == {"model": "acme/atlas-13b"}
    alone = settled(*LOG, *launch(None))
    assert alone.value("run.args") == {"model": "acme/atlas-13b", "max_model_len": 8192}


def test_a_command_with_another_model_is_of_another_run() -> None:
    table = FactTable([*LOG, *launch(None, model="acme/boreal-7b")])
    notes = settle_services(table)
    assert "run.args" not in table.fields
    assert notes == {"start.sh": ["line 7: starts vllm with acme/boreal-7b, which is not what the log shows"]}


def _empty(variable: str, *, closed: bool) -> Fact:
    held = {"flag": "--seed", "why": "dropped", "variable": variable, "service": "atlas.service", "closed": closed}
    return fact("clue.empty_argument", held, "observed", [Origin(file="atlas.service", line=7, reader="systemd:unit")])


@pytest.mark.parametrize(
    ("clue", "more", "proven"),
    [
        (_empty("", closed=False), [], [True]),
        (_empty("SEED", closed=True), [], [True]),
        (_empty("SEED", closed=False), [], [False]),
        (_empty("HOME", closed=True), [], []),
        (_empty("SEED", closed=True), [setting("atlas.service", "Environment", ["SEED"], document="x.conf")], []),
        (_empty("SEED", closed=True), [setting("atlas.service", "EnvironmentFile", "/etc/atlas", document="x.conf")], [False]),
    ],
)
def test_an_empty_argument_is_proven_where_the_environment_is_known(clue: Fact, more: list[Fact], proven: list[bool]) -> None:
    table = settled(*UNIT, clue, *more)
    assert [one.value["proven"] for one in table.clues["clue.empty_argument"]] == proven


@pytest.mark.parametrize("broken", [{}, {"manager": "systemd"}, "text", None, {"manager": 1, "service": 2, "key": 3, "value": 4}])
def test_broken_clues_are_no_crash(broken: Any) -> None:
    assert settled(fact("clue.service_setting", broken, "requested", [])).fields == {}
