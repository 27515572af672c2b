"""What a log says is wrong with a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Box = Callable[..., str]

LOG = """==============NVSMI LOG==============

Driver Version                            : 580.65.06
Attached GPUs                             : 1
GPU 00000000:41:00.0
    Product Name                          : NVIDIA L40S
    GPU Reset Status
        Reset Required                    : {reset}
        Drain and Reset Recommended       : N/A
    GPU Recovery Action                   : {action}
    vGPU Software Licensed Product
        Product Name                      : NVIDIA Virtual Compute Server
        License Status                    : {licence}
    Clocks Event Reasons
        Idle                              : Not Active
        SW Power Cap                      : {cap}
        HW Slowdown                       : Not Active
        SW Thermal Slowdown               : Not Active
    Remapped Rows
        Pending                           : {rows}
    GPU Power Readings
        Current Power Limit               : {limit} W
        Default Power Limit               : 350.00 W
"""
SOUND = {
    "reset": "No",
    "action": "None",
    "licence": "Licensed (Expiry: 2027-1-1 0:0:0 GMT)",
    "cap": "Active",
    "rows": "No",
    "limit": "350.00",
}


def _conditions(read: Read, text: str) -> list[tuple[str, Any]]:
    found = [one for one in read(text).facts if one.field == "clue.gpu_condition"]
    return [(str(one.value["kind"]), one.origins[0].line) for one in found]


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, []),
        ({"reset": "Yes"}, [("reset", 8)]),
        ({"rows": "Yes"}, [("reset", 20)]),
        ({"action": "Reset"}, [("recovery", 10)]),
        ({"licence": "Unlicensed (Restricted)"}, [("unlicensed", 13)]),
        ({"limit": "200.00"}, [("power-limit", 15)]),
        ({"limit": "200.00", "cap": "Not Active"}, []),
        ({"limit": "310.00"}, []),
    ],
)
def test_conditions_of_a_log(read: Read, changes: dict[str, str], kinds: list[tuple[str, int]]) -> None:
    assert _conditions(read, LOG.format(**{**SOUND, **changes})) == kinds


def test_a_lost_card_is_told_by_its_row(read: Read, box: Box) -> None:
    assert [
        kind for kind, _ in _conditions(read, box([{}]).replace("Off |                    0 |", "Off |                 ERR! |"))
    ] == ["lost"]
    assert _conditions(read, box([{}])) == []
