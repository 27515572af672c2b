"""Shapes become plain data under their written keys, and foreign data becomes a shape only where it fits."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from pydantic import ValidationError

from kvaudit.audit.report import Difference
from kvaudit.audit.rules import SeverityStep
from kvaudit.parsers.facts import Fact, Origin, Start
from kvaudit.record.model import Sessions
from kvaudit.shapes import checked, plain

ORIGIN: dict[str, Any] = {"file": "a.log", "line": 3, "pointer": None, "excerpt": "x", "reader": "vllm:x"}


def test_what_stands_in_no_document_is_left_out_and_keys_are_the_written_ones() -> None:
    start = Start(first_line=1, last_line=9, facts=[Fact(field="model.path", stage="observed", value="m")])
    assert plain(Sessions(count=1, starts=[start])) == {
        "count": 1,
        "selected": None,
        "ready": None,
        "list": [{"first_line": 1, "last_line": 9, "outcome": "unknown", "cause": None, "ready": None}],
    }
    difference = plain(
        Difference(field="model.dtype", values=("a", "b"), states=("known", "known"), class_="confound", silenced=True)
    )
    assert difference["class"] == "confound"
    assert difference["values"] == ["a", "b"]
    assert {"class_", "silenced", "meaning"} & set(difference) == set()


def test_plain_data_is_what_json_knows() -> None:
    day = datetime.date(2026, 6, 1)
    held = plain({"day": day, "pair": (1, 2.5), 3: None, "origin": Origin(file="a.log", line=3, excerpt="x", reader="vllm:x")})
    assert held == {"day": "2026-06-01", "pair": [1, 2.5], "3": None, "origin": ORIGIN}
    assert json.loads(json.dumps(held)) == held


def test_foreign_data_is_checked() -> None:
    fact = checked(Fact, {"field": "model.path", "stage": "observed", "value": "m", "origins": [ORIGIN], "newer": 1})
    assert fact == Fact(field="model.path", stage="observed", value="m", origins=[Origin(**ORIGIN)])
    unstaged, guessed = {"field": "model.path", "value": "m"}, {"field": "model.path", "stage": "guessed", "value": "m"}
    for wrong in (unstaged, guessed, "text", None):
        with pytest.raises(ValidationError):
            checked(Fact, wrong)


def test_a_closed_shape_takes_no_other_key() -> None:
    assert checked(SeverityStep, {"level": "error"}) == SeverityStep(level="error")
    with pytest.raises(ValidationError, match="unless"):
        checked(SeverityStep, {"level": "error", "unless": {}})
