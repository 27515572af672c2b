"""What pasting does to a table: the same facts must come out, at the lines where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Facts = Callable[[str], dict[str, Any]]
Box = Callable[..., str]

CELLS = [{"memory": "20110MiB /  46068MiB", "mig": "Disabled"}, {"name": "NVIDIA GeForce RTX 4080 ...", "ecc": "N/A"}]
ROWS = [(0, 2310, "G", "/usr/lib/xorg/Xorg", "10MiB"), (0, 77123, "C", "/opt/llama cpp/llama-server", "20080MiB")]


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _quoted(text: str) -> str:
    return "\n".join(f"> > {line}" for line in text.split("\n"))


def _backticked(text: str) -> str:
    return "\n".join(f"`{line}`" if line else "" for line in text.split("\n"))


def _coloured(text: str) -> str:
    return "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n"))


def _zero_width(text: str) -> str:
    return text.replace("| ", "|\u200b ")


def _wrapped(text: str) -> str:
    return "\n".join(f"{line[:80]}\n{line[80:]}" if len(line) > 80 else line for line in text.split("\n"))


def _blank_lines(text: str) -> str:
    return text.replace("\n", "\n\n")


def _windows(text: str) -> str:
    return "\ufeff" + text.replace("\n", "\r\n")


def _without_outer_bars(text: str) -> str:
    return "\n".join(line.strip("|") if line.startswith("|") and "=" not in line else line for line in text.split("\n"))


DAMAGE = [_indented, _quoted, _backticked, _coloured, _zero_width, _wrapped, _blank_lines, _windows, _without_outer_bars]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__.strip("_"))
def test_damage_changes_no_fact(facts: Facts, box: Box, damage: Callable[[str], str]) -> None:
    whole = box(CELLS, ROWS)
    expected, found = facts(whole), facts(damage(whole))
    if damage is _wrapped:  # the ECC cell of a wrapped row stands alone on the next line
        expected.pop("gpu.ecc")
        found.pop("gpu.ecc", None)
    assert found == expected


def test_lines_are_those_of_the_damaged_file(read: Callable[[str], Any], box: Box) -> None:
    text = _wrapped(box(CELLS, ROWS))
    tenants = next(fact for fact in read(text).facts if fact.field == "gpu.tenants")
    wanted = [number for number, line in enumerate(text.split("\n"), 1) if "Xorg" in line or "llama-server" in line]
    assert [origin.line for origin in tenants.origins] == wanted


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(spaces=st.integers(1, 4), used=st.integers(0, 46068), pid=st.integers(1, 4_194_304))
def test_collapsed_blanks_change_no_fact(facts: Facts, box: Box, spaces: int, used: int, pid: int) -> None:
    whole = box([{"memory": f"{used}MiB /  46068MiB"}], [(0, pid, "C", "a worker", f"{used}MiB")])
    date, rest = whole.split("\n", 1)
    collapsed = date + "\n" + re.sub(r" {2,}", " " * spaces, rest)
    if used % 2:
        collapsed = _without_outer_bars(collapsed)
    found = facts(collapsed)
    assert found == facts(whole)
    assert found["gpu.memory_used_mib"] == [used]
    assert [(tenant["pid"], tenant["mib"]) for tenant in found["gpu.tenants"]] == [(pid, used)]
