"""`nvidia-smi pmon` and `dmon`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.parsers.facts import Reading

Read = Callable[[str], Reading]
Facts = Callable[[str], dict[str, Any]]

PMON = """# gpu         pid   type     sm    mem    enc    dec    command
# Idx           #    C/G      %      %      %      %    name
    0       1400     G      1      0      -      -    Xorg
    0       7771     C     95     40      -      -    my engine
    1          -     -      -      -      -      -    -
    0       1400     G      1      0      -      -    Xorg
    0       7771     C     95     40      -      -    my engine
    1          -     -      -      -      -      -    -
"""


def test_first_sample_of_pmon(read: Read) -> None:
    reading = read(PMON)
    found = {fact.field: fact.value for fact in reading.facts}
    tenants = [(tenant["gpu"], tenant["pid"], tenant["name"], tenant["type"], tenant["mib"]) for tenant in found["gpu.tenants"]]
    assert tenants == [(0, 1400, "Xorg", "G", None), (0, 7771, "my engine", "C", None)]
    assert found["clue.snapshot_visibility"] == "partial: no memory per process"
    assert any("3 rows of later samples" in note for note in reading.notes)


def test_pmon_with_memory_and_time(facts: Facts) -> None:
    text = "#Time        gpu         pid   type     fb   ccpm    command\n#HH:MM:SS    Idx   #    C/G     MB     MB    name\n"
    found = facts(text + " 10:00:01      0       7771     C   9000      0    engine\n")
    assert (found["gpu.tenants"][0]["pid"], found["gpu.tenants"][0]["mib"]) == (7771, 9000)
    assert found["clue.snapshot_visibility"] == "full"


def test_idle_rows_are_nobody(facts: Facts) -> None:
    idle = "\n".join(line for line in PMON.split("\n") if not line.split()[1:2] or line.split()[1] not in {"1400", "7771"})
    assert facts(idle)["gpu.tenants"] == []


DMON = """# gpu    pwr  gtemp     sm    mem   mclk   pclk     fb
# Idx      W      C      %      %    MHz    MHz     MB
    0     60     30      0      0   1593    210    120
    1     61     31      0      0   1593    210    122
    0    380     60     99     70   1593   1395   9000
    1    390     61     97     71   1593   1305   9000
    0    381     60     98     70   1593   1405   9000
    1     60     33      -      -   1593    210    122
"""


def test_clocks_under_load_of_dmon(facts: Facts) -> None:
    found = facts(DMON)
    assert found["gpu.clocks_mhz"] == [(1395 + 1405) / 2, 1305.0]
    assert found["gpu.memory_used_mib"] == [120, 122]
    assert not {"gpu.tenants", "gpu.count"} & set(found)


def test_a_selection_of_gpus_gives_nothing(read: Read) -> None:
    selected = "\n".join(line for line in DMON.split("\n") if not line.startswith("    0"))
    reading = read(selected)
    assert not [fact for fact in reading.facts if fact.field.startswith("gpu.")]
    assert any("selection" in note for note in reading.notes)
