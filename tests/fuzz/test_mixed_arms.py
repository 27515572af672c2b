"""Logs of several servers in one arm: every value may then be a map of servers, which no rule and no page may stumble over."""

from __future__ import annotations

from copy import deepcopy
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from kvaudit.audit.audit import Wishes, check, diff
from kvaudit.audit.rules import bundled_rules
from kvaudit.record.build import Options, read_arm
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import RENDERERS
from tests.conftest import ROOT
from tests.fuzz.examining import examine, runner
from tests.fuzz.outputs import faults
from tests.fuzz.seeds import ENGINES, seeds

FIXTURES = [
    ROOT / "fixtures" / "vllm" / "flag-honoured" / "server.log",
    ROOT / "fixtures" / "sglang" / "sliding-window-with-drafter" / "server.log",
    ROOT / "fixtures" / "llama_cpp" / "context-divided" / "server.log",
    ROOT / "fixtures" / "tensorrt_llm" / "last-allocation-wins" / "server.log",
]


def logs() -> list[Path]:
    return [path for path in FIXTURES if path.is_file()]


@pytest.mark.parametrize("pair", list(combinations(range(4), 2)))
def test_two_engines_in_one_arm(pair: tuple[int, int], tmp_path: Path) -> None:
    found = logs()
    assert len(found) == 4
    mixed = read_arm([str(found[index]) for index in pair], Redactor(), Options(local_checkpoint=False))
    alone = read_arm([str(found[pair[0]])], Redactor(), Options(local_checkpoint=False))
    assert isinstance(mixed.value("engine.name"), dict)
    rules, redactor = bundled_rules(), Redactor()
    reports = [check(mixed, rules, Wishes()), diff(mixed, alone, rules, Wishes()), diff(alone, mixed, rules, Wishes())]
    with runner(there=True):
        for report in [*reports, diff(mixed, deepcopy(mixed), rules, Wishes())]:
            assert [fault for name in RENDERERS for fault in faults(name, RENDERERS[name](report, redactor))] == []


def test_services_of_all_engines_in_one_file(tmp_path: Path) -> None:
    lines = []
    for engine in ENGINES:
        text = next(seed.data for seed in seeds() if seed.name == f"{engine}.log").decode()
        lines += [f"{engine}-1  | {line}" for line in text.split("\n")]
    (tmp_path / "compose.log").write_text("\n".join(lines), encoding="utf-8")
    for number in range(4):
        assert examine(str(tmp_path / "compose.log"), Random(number), formats=2).faults == ()  # noqa: S311
