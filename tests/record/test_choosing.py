"""Which start of a log counts."""

from __future__ import annotations

import pytest

from kvaudit.errors import UsageError
from kvaudit.parsers.facts import Reading, Start
from kvaudit.record.choosing import choose


def _log(*ready: bool | None) -> Reading:
    starts = [Start(first_line=10 * number, last_line=10 * number + 9, ready=one) for number, one in enumerate(ready)]
    return Reading(kind="engine-log", engine="vllm", starts=starts)


@pytest.mark.parametrize(
    ("ready", "selected"),
    [
        ((True,), 1),
        ((False, True), 2),
        ((True, False), 1),
        ((True, True, False), 2),
        ((False, None), 2),
        ((None, None, False), 3),
    ],
)
def test_serving_is_the_last_that_became_ready_else_the_last(ready: tuple[bool | None, ...], selected: int) -> None:
    sessions, index = choose(_log(*ready), "serving")
    assert (sessions.count, sessions.selected, sessions.ready) == (len(ready), selected, ready[selected - 1])
    assert index == selected - 1


@pytest.mark.parametrize("number", [1, 2, 3])
def test_by_number(number: int) -> None:
    sessions, index = choose(_log(True, False, None), str(number))
    assert (sessions.selected, index) == (number, number - 1)
    assert sessions.ready is (True, False, None)[number - 1]


@pytest.mark.parametrize("wanted", ["0", "4", "-1", "1.0", "last", "", "²", "1 "])
def test_other_words_are_refused_and_say_how_many_there_are(wanted: str) -> None:
    with pytest.raises(UsageError, match="the log holds 3 starts; give 1 to 3, or serving"):
        choose(_log(True, False, None), wanted)
    with pytest.raises(UsageError, match="holds 1 start; "):
        choose(_log(True), "2")


@pytest.mark.parametrize("reading", [None, Reading(kind="checkpoint")])
def test_without_starts_there_is_nothing_to_choose(reading: Reading | None) -> None:
    sessions, index = choose(reading, "serving")
    assert (sessions.count, sessions.selected, sessions.ready, index) == (0, None, None, None)
