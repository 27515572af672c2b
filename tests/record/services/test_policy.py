"""Whether a policy can restart for ever, and what brings services back."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from tests.record.services.test_units import setting, settled


def _unit(restart: str, pause: str | None, burst: str | None, interval: str | None) -> list[Fact]:
    keys = (("Restart", restart, "Service"), ("RestartSec", pause, "Service"))
    limits = (("StartLimitBurst", burst, "Unit"), ("StartLimitIntervalSec", interval, "Unit"))
    return [
        setting("atlas.service", key, value, section=section) for key, value, section in (*keys, *limits) if value is not None
    ]


def _crash(seconds: float) -> Fact:
    return fact(
        "clue.crash_seconds", seconds, "observed", [Origin(file="server.log", line=3), Origin(file="server.log", line=25)]
    )


def _policy(*facts: Fact) -> dict[str, Any]:
    (found,) = settled(*facts).clues["clue.restart_policy"]
    assert isinstance(found.value, dict)
    return found.value


def test_the_story_of_five_in_three_hundred() -> None:
    """5 × (15 + 45) = 300 ≥ 300: one second less to crash, and the limit holds; but a start's first seconds print nothing."""
    unit = _unit("on-failure", "15", "5", "300")
    found = _policy(*unit, _crash(45.0), _crash(45.0), _crash(46.0))
    assert found["endless"] is True
    sum_ = "5 × (15 s pause + 45 s to crash, measured on 3 failed starts) = 300 s"
    assert found["because"] == f"{sum_} against 5 starts in 300 s: the limit is never reached"
    assert _policy(*unit, _crash(44.0))["endless"] is None


@pytest.mark.parametrize(
    ("unit", "crashes", "endless"),
    [
        (_unit("on-failure", "5", None, None), [], True),  # 5 × 5 = 25 ≥ 10, however fast it fails
        (_unit("always", None, None, None), [], None),  # from 1.9 s on
        (_unit("always", None, None, None), [2.0], True),
        (_unit("always", "15", "3", "1800"), [45.0], False),  # 3 × (15 + 45 + 60) = 360 < 1800
        (_unit("always", "15", "3", "300"), [30.0], None),  # 135 measured, 315 with an unseen minute
        (_unit("on-failure", "1", "0", "300"), [], True),
        (_unit("on-failure", "1", "5", "0"), [], True),
        (_unit("on-failure", "1min", "5", "5min"), [], True),
        (_unit("no", "5", None, None), [], False),
        (_unit("on-abnormal", "5", None, None), [], False),
    ],
)
def test_burst_times_pause_and_crash_against_the_interval(unit: list[Fact], crashes: list[float], endless: bool | None) -> None:
    assert _policy(*unit, *map(_crash, crashes))["endless"] is endless


def test_the_managers_own_cycle_leaves_nothing_unseen() -> None:
    unit = _unit("on-failure", "15", "5", "300")
    cycle = setting("atlas.service", "cycle", {"seconds": 59.0, "count": 4}, section="", stage="observed")
    assert _policy(*unit, cycle)["endless"] is False
    slower = setting("atlas.service", "cycle", {"seconds": 60.0, "count": 4}, section="", stage="observed")
    assert _policy(*unit, slower)["endless"] is True


def test_a_limit_in_the_wrong_section_is_named() -> None:
    unit = [*_unit("on-failure", None, None, None), setting("atlas.service", "StartLimitIntervalSec", "300", section="Service")]
    found = _policy(*unit)
    assert found["misplaced"] == ["StartLimitIntervalSec in [Service]"]
    assert (found["burst"], found["interval"]) == (5, "10")


@pytest.mark.parametrize(
    ("manager", "policy", "limit", "endless"),
    [
        ("docker", "no", "n/a", False),
        ("docker", "always", "n/a", True),
        ("compose", "unless-stopped", "n/a", True),
        ("compose", "on-failure", "n/a", True),
        ("compose", "on-failure:5", "5", False),
        ("kubernetes", "Always", None, False),
    ],
)
def test_containers_have_no_start_limit(manager: str, policy: str, limit: str | None, endless: bool) -> None:
    table = settled(setting("atlas", "restart", policy, manager=manager, section=""))
    assert table.value("service.start_limit") == limit
    assert table.value("service.restart") == policy.partition(":")[0]
    (found,) = table.clues["clue.restart_policy"]
    assert found.value["endless"] is endless


def test_a_retry_count_of_docker_is_a_limit() -> None:
    held = [setting("atlas", "restart", "on-failure", manager="docker", section="")]
    table = settled(*held, setting("atlas", "max_retries", "4", manager="docker", section=""))
    assert table.value("service.start_limit") == "4"


TIMER = setting("atlas-keepalive.timer", "OnUnitActiveSec", "1min", section="Timer")
RESTARTER = setting("look-after.service", "command", ["/bin/sh", "-c", "systemctl restart chat.service"])


@pytest.mark.parametrize(
    ("facts", "watchdogs"),
    [
        ([TIMER], ["atlas-keepalive.timer (OnUnitActiveSec=1min) runs atlas-keepalive.service"]),
        ([RESTARTER], ["look-after.service restores services"]),
        (
            [RESTARTER, setting("each-minute.timer", "OnCalendar", "*:*", section="Timer"),
             setting("each-minute.timer", "Unit", "look-after.service", section="Timer")],
            ["each-minute.timer (OnCalendar=*:*) runs look-after.service"],
        ),
        ([setting("h", "image", "willfarrell/autoheal:1.2.0", manager="compose", section="")], ["h restores services"]),
        ([setting("x.service", "Description", "Revive crashed children")], ["x.service restores services"]),
        ([setting("backup.timer", "OnCalendar", "daily", section="Timer")], None),
        ([setting("atlas.service", "command", ["vllm", "serve", "a"])], None),
        ([RESTARTER, setting("look-after.service", "ActiveState", "inactive", section="show", stage="observed")], None),
    ],
    ids=["timer", "deed", "timer-of-a-deed", "image", "name", "other-timer", "server", "inactive"],
)  # fmt: skip
def test_watchdogs(facts: list[Fact], watchdogs: list[str] | None) -> None:
    assert settled(*facts).value("service.watchdogs") == watchdogs


def test_a_watchdog_alone_still_has_its_limit() -> None:
    table = settled(
        setting("atlas-keepalive.service", "Type", "oneshot"), setting("atlas-keepalive.service", "command", ["/bin/look"])
    )
    assert table.value("service.start_limit") == "5/10"
    assert table.state("service.restart").state == "absent"


def test_states_are_kept_as_the_manager_says_them() -> None:
    table = settled(
        *_unit("always", None, None, None), setting("atlas.service", "state", "start-limit-hit", section="", stage="observed")
    )
    assert [one.value for one in table.clues["clue.service_state"]] == ["start-limit-hit"]
