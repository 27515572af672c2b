"""`systemctl show` and `systemctl status`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.parsers.facts import Reading

Read = Callable[..., Reading]
Settings = Callable[..., dict[tuple[str, str], Any]]

SHOW = """Type=simple
Restart=on-failure
RestartUSec=15s
ExecStart={ path=/opt/venv/bin/vllm ; argv[]=/opt/venv/bin/vllm serve acme/atlas-13b --seed 7 ; ignore_errors=no ; pid=0 }
NRestarts=41
Result=exit-code
Id=atlas.service
ActiveState=activating
SubState=auto-restart
StartLimitIntervalUSec=5min
StartLimitBurst=5
"""
STATUS = """● atlas.service - Atlas on the big card
     Loaded: loaded (/etc/systemd/system/atlas.service; enabled; preset: enabled)
     Active: activating (auto-restart) (Result: exit-code) since Tue 2026-06-09 10:00:00 UTC; 3s ago
    Process: 812 ExecStart=/opt/venv/bin/vllm serve acme/atlas-13b (code=exited, status=1/FAILURE)
"""


def test_properties_come_with_their_stage(read: Read) -> None:
    found = {one.value["key"]: one for one in read(SHOW, "show.txt").facts if one.field == "clue.service_setting"}
    assert found["NRestarts"].value == {
        "manager": "systemd",
        "service": "atlas.service",
        "document": "",
        "section": "show",
        "key": "NRestarts",
        "value": "41",
    }
    assert (found["NRestarts"].stage, found["Restart"].stage) == ("observed", "resolved")
    assert found["StartLimitIntervalUSec"].origins[0].line == 10


def test_the_running_command_is_read_from_its_arguments(read: Read) -> None:
    facts = {one.field: one for one in read(SHOW, "show.txt").facts}
    assert facts["model.path"].value == "acme/atlas-13b"
    assert facts["run.seed"].value == 7
    assert facts["run.seed"].origins[0].line == 4


def test_several_units_are_told_apart_by_blank_lines(settings: Settings) -> None:
    found = settings(SHOW + "\n" + SHOW.replace("atlas", "boreal").replace("NRestarts=41", "NRestarts=0"), "show.txt")
    assert found[("atlas.service", "NRestarts")] == "41"
    assert found[("boreal.service", "NRestarts")] == "0"


def test_status_says_the_state(settings: Settings) -> None:
    found = settings(STATUS, "status.txt")
    assert found[("atlas.service", "ActiveState")] == "activating"
    assert found[("atlas.service", "SubState")] == "auto-restart"
    assert found[("atlas.service", "Result")] == "exit-code"
