"""Cells to values."""

from __future__ import annotations

import pytest

from kvaudit.parsers.snapshots import values


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("81559 MiB", 81559.0),
        ("250.00 W", 250.0),
        ("-8 C", -8.0),
        ("38 %", 38.0),
        ("[N/A]", None),
        ("", None),
        ("0x10", None),
        ("1e5", None),
    ],
)
def test_number(text: str, number: float | None) -> None:
    assert values.number(text) == number


def test_amounts_below_zero_are_none() -> None:
    assert values.mib("-1 MiB") is None
    assert values.positive("0.00 W") is None


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("On", "Enabled"),
        ("off", "Disabled"),
        ("Enabled*", "Enabled"),
        ("[N/A]", "N/A"),
        ("[Not Supported]", "N/A"),
        ("ERR!", None),
    ],
)
def test_switch(text: str, state: str | None) -> None:
    assert values.switch(text) == state


@pytest.mark.parametrize(
    ("text", "state"), [("0", "Enabled"), ("12", "Enabled"), ("Off", "Disabled"), ("N/A", "N/A"), ("²", None)]
)
def test_ecc_of_count(text: str, state: str | None) -> None:
    assert values.ecc_of_count(text) == state


def test_reasons_need_the_telling_ones() -> None:
    pairs = [
        ("Idle", "Not Active"),
        ("SW Power Cap", "Active"),
        ("HW Slowdown", "Not Active"),
        ("SW Thermal Slowdown", "Not Active"),
    ]
    assert values.active_reasons(pairs) == ["sw_power_cap"]
    assert values.active_reasons(pairs[:-1]) is None
    assert values.active_reasons([*pairs[:-1], ("SW Thermal Slowdown", "N/A")]) is None


def test_display_clock_reason_has_one_name() -> None:
    assert values.reason_name("clocks_event_reason_display_clocks_setting") == values.reason_name("Display Clock Setting")


@pytest.mark.parametrize(
    ("generation", "width", "link"), [("4", "16x", "gen4 x16"), ("5", "8", "gen5 x8"), ("N/A", "16x", None), ("0", "0", None)]
)
def test_pcie(generation: str, width: str, link: str | None) -> None:
    assert values.pcie(generation, width) == link
