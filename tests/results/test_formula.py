"""Formulas as text: values, names, mistakes."""

from __future__ import annotations

import pytest

from kvaudit.results.formula import names_in, parsed, shown, value_of
from tests.results.runs_for_tests import run_of

RUN = run_of(completed=10, duration=4.0, e2e__mean=800.0, input_tokens=0)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("completed / duration", 2.5),
        ("completed * e2e.mean / 1000 / duration", 2.0),
        ("1 + completed - 2 * (duration - 1)", 5.0),
        ("completed / input_tokens", None),
        ("completed / failed", None),
        ("0.00001", 0.00001),
    ],
)
def test_values(formula: str, value: float | None) -> None:
    assert value_of(formula, RUN) == value


def test_names_come_once_and_in_order() -> None:
    assert names_in("completed * e2e.p99.9 / completed + 3") == ("completed", "e2e.p99.9")


def test_people_read_signs_of_arithmetic() -> None:
    assert shown("a * b / (c - 1)") == "a × b ÷ (c − 1)"


@pytest.mark.parametrize("formula", ["", "a +", "(a", "a b", "a ; b", "__import__('os')", "a ** b"])
def test_anything_else_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parsed(formula)


def test_figures_that_are_no_numbers_give_no_value() -> None:
    odd = run_of(completed=True, duration="inf", requests=float("nan"), failed=float("inf"))
    assert [value_of(name, odd) for name in ("completed", "duration", "requests", "failed")] == [None] * 4
