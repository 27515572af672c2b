"""Runs of a saved record may hold anything: nothing crashes, and nothing is lost."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kvaudit.audit.audit import Wishes
from kvaudit.audit.results import results
from kvaudit.audit.rules import bundled_rules
from kvaudit.parsers.facts import RUN_CLUE, Origin
from kvaudit.parsers.results.run import LATENCIES, QUANTITIES, STATISTICS
from kvaudit.parsers.tables import fact
from kvaudit.record.model import Record, SourceEntry
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import RENDERERS
from kvaudit.results.evidence import results_of
from tests.results.runs_for_tests import record_with, run_of

RULES = [rule for rule in bundled_rules() if rule.category == "results"]
NAMES = [*QUANTITIES, *(f"{family}.{statistic}" for family in LATENCIES for statistic in STATISTICS)]
ANYTHING: list[Any] = [
    *(0, 0.0, -1, 1, 3, 100, 0.5, 1e18, 1e308, -1e308, 5e-324, 10**30, 10**400),
    *(float("nan"), float("inf"), True, False, None, "inf", "x" * 5000, [1], {}),
]
TOOLS = ["vllm-bench-serve", "sglang-bench-serving", "trtllm-bench", "inference-perf", "llmperf", "guidellm", "aiperf", ""]


def _record(generator: random.Random) -> Record:
    found = []
    for _ in range(generator.randint(1, 3)):
        chosen = generator.sample(NAMES, generator.randint(0, len(NAMES)))
        row = {name: generator.choice(ANYTHING) for name in ("output_throughput", "e2e", "output_tokens")}
        found.append(
            {
                "tool": generator.choice(TOOLS),
                "file": "run.json",
                "values": {name: {"value": generator.choice(ANYTHING)} for name in chosen},
                "started": generator.choice([None, "yesterday", "2026-01-01T00:00:00"]),
                "requests": [row] * 3,
            }
        )
    clues = [fact(RUN_CLUE, one, "observed", [Origin(file="run.json", line=1)]) for one in found]
    return Record(label="x", sources=[SourceEntry(path="run.json", kind="results")], clues={RUN_CLUE: clues})


@pytest.mark.parametrize("seed", range(40))
def test_any_figures(seed: int) -> None:
    generator = random.Random(seed)  # noqa: S311 - a test's noise
    arms = [_record(generator) for _ in range(1 + seed % 2)]
    report = results(arms, RULES, Wishes())
    for format_ in ("text", "json", "markdown", "gitlab"):
        assert RENDERERS[format_](report, Redactor("default"))


def test_figures_of_no_sane_size_are_none() -> None:
    odd = record_with(run_of(completed=10**400, duration=float("nan"), output_tokens=[1], failed=0, dataset="random"))
    (run,) = results_of(odd).runs
    assert set(run.values) == {"failed", "dataset"}


def test_hundreds_of_runs_are_all_told() -> None:
    many = [
        run_of(file=f"{number}.json", completed=100, duration=50.0 + number / 100, output_tokens=25_600, e2e__mean=9000.0)
        for number in range(400)
    ]
    record = record_with(*many)
    told = results([record], RULES, Wishes()).results
    assert told is not None
    assert [run.file for run in told.runs] == [f"{number}.json" for number in range(400)]
