"""Everything else that differs between two raw configurations."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.raw import other_differences
from kvaudit.record.model import Record
from tests.audit.arms import record


def _arm(**sources: dict[str, Any]) -> Record:
    return record({"clue.raw_configuration": {name.replace("_json", ".json"): content for name, content in sources.items()}})


def _found(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    found = other_differences(_arm(config_json=left), _arm(config_json=right))
    assert {one.source for one in found} <= {"config.json"}
    return [(one.pointer, *one.values) for one in found]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"rope_theta": 10_000}, {"rope_theta": 500_000}, [("/rope_theta", 10_000, 500_000)]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [("/a/b/1", 2, 3)]),
        ({"a": 1}, {"a": "1"}, [("/a", 1, "1")]),
        ({"a": 1}, {"a": True}, [("/a", 1, True)]),
        ({"a": None}, {"a": 0}, [("/a", None, 0)]),
        ({"a": 1}, {}, [("/a", 1, None)]),
        ({}, {"a": [1]}, [("/a", None, [1])]),
        ({"a": [1]}, {"a": [1, 2]}, [("/a/1", None, 2)]),
        ({"x/y": {"m~n": 1}}, {"x/y": {"m~n": 2}}, [("/x~1y/m~0n", 1, 2)]),
        ({"b": 1, "a": 1}, {"b": 2, "a": 2}, [("/a", 1, 2), ("/b", 1, 2)]),
        ({"a": 1.0}, {"a": 1.0}, []),
    ],
)
def test_by_pointer(left: dict[str, Any], right: dict[str, Any], expected: list[tuple[str, Any, Any]]) -> None:
    assert _found(left, right) == expected


def test_keys_that_a_field_covers_are_left_out() -> None:
    left = {"model": "a", "max_seq_len": 1, "quantization": "x", "compilation_config": {"cudagraph_mode": 1, "backend": "x"}}
    right = {"model": "b", "max_seq_len": 2, "quantization": "y", "compilation_config": {"cudagraph_mode": 2, "backend": "y"}}
    assert _found(left, right) == [("/compilation_config/backend", "x", "y")]


def test_only_sources_that_both_arms_hold_are_compared() -> None:
    a = _arm(config_json={"x": 1}, engine={"y": 1})
    b = _arm(config_json={"x": 2})
    assert [(one.source, one.pointer) for one in other_differences(a, b)] == [("config.json", "/x")]
    assert other_differences(a, record({})) == []


def test_the_list_is_bounded() -> None:
    left, right = ({f"key{number}": value for number in range(1_000)} for value in (1, 2))
    assert len(_found(left, right)) == 200


@pytest.mark.parametrize("odd", [None, 7, "text", ["list"]])
def test_clues_of_wrong_types_are_no_configurations(odd: Any) -> None:
    arm = record({"clue.raw_configuration": {"value": odd}})
    assert other_differences(arm, _arm(config_json={"x": 1})) == []


def test_deep_nesting_ends() -> None:
    def deep(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(60):
            value = {"a": [value]}
        return value

    found = _found(deep(1), deep(2))
    assert [one[1:] for one in found] == [(1, 2)]
