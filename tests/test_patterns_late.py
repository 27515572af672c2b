"""Patterns that are compiled late: every one of them compiles, and behaves as a compiled one does."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import pytest
import re2

import kvaudit
from kvaudit.patterns import LatePattern


def test_every_pattern_of_every_module_compiles() -> None:
    for module in pkgutil.walk_packages(kvaudit.__path__, "kvaudit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    gc.unfreeze()  # a command that ended in this process has frozen what there was
    held = [one for one in gc.get_objects() if isinstance(one, LatePattern)]
    assert len(held) > 250
    for one in held:
        re2.compile(one.pattern)


def test_a_late_pattern_is_compiled_once_and_answers_like_a_compiled_one() -> None:
    late = LatePattern(r"(?P<name>\w+)=(?P<value>\d+)")
    assert "search" not in vars(late)
    found = late.search("size=16")
    assert (found.group("name"), found.group("value")) == ("size", "16")
    assert late.search is vars(late)["search"]
    assert dict(late.groupindex) == {"name": 1, "value": 2}
    assert [match.group(0) for match in late.finditer("a=1 b=2")] == ["a=1", "b=2"]
    assert late.sub("x", "a=1 b=2") == "x x"
    assert LatePattern(rb"\d").search(b"a1").start() == 1


def test_a_wrong_pattern_fails_where_it_is_used() -> None:
    with pytest.raises(re2.error):
        LatePattern("(").search("x")


def test_copies_and_pickles_ask_for_nothing() -> None:
    with pytest.raises(AttributeError):
        LatePattern("x").__deepcopy__  # noqa: B018 - the look-up is what is tested
