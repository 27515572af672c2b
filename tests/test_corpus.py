"""Labelled real files, where KVAUDIT_CORPUS names them: values, and verdicts on pairs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks import accuracy, pairs


@pytest.fixture(scope="module")
def corpus() -> Path:
    named = os.environ.get("KVAUDIT_CORPUS")
    if not named:
        pytest.skip("KVAUDIT_CORPUS does not name a labelled collection")
    return Path(named)


# engine: most wrong ÷ (right + wrong), least right ÷ labelled
BARS = {
    "vllm": (0.002, 0.98),
    "sglang": (0.003, 0.97),
    "tensorrt_llm": (0.003, 0.97),
    "llama_cpp": (0.003, 0.97),
    "ollama": (0.003, 0.97),
    "checkpoint": (0.0, 0.99),
    "smi": (0.002, 0.99),
    "unit": (0.0, 1.0),
}


@pytest.mark.parametrize("engine", BARS)
def test_values(corpus: Path, engine: str) -> None:
    chosen = accuracy.labels(corpus, engine)
    assert chosen, f"no labelled files of {engine}"
    scores = accuracy.score_all(corpus, chosen)
    counted = accuracy.totals(scores)[engine]
    most_wrong, least_right = BARS[engine]
    assert accuracy.wrong_share(counted) <= most_wrong, accuracy.report(scores, 10)
    assert accuracy.right_share(counted) >= least_right, accuracy.report(scores, 10)


def test_sessions_of_vllm_logs(corpus: Path) -> None:
    scores = accuracy.score_all(corpus, accuracy.labels(corpus, "vllm"))
    judged = [one.sessions_right for one in scores if one.sessions_right is not None]
    assert sum(judged) >= 0.98 * len(judged)


def test_headline_pairs(corpus: Path) -> None:
    scores = pairs.score_all(corpus, pairs.pairs(corpus, "headline"))
    assert scores
    assert [one for one in scores if not one.right or one.missed or one.false] == []


def test_all_pairs(corpus: Path) -> None:
    scores = pairs.score_all(corpus, pairs.pairs(corpus))
    assert sum(one.right for one in scores) >= 0.97 * len(scores), pairs.report(scores)


def test_snapshots_that_cannot_show_tenants_never_pass(corpus: Path) -> None:
    from kvaudit.audit.gate import undecided_of_arm
    from kvaudit.record.build import read_arm
    from kvaudit.redaction import Redactor

    hiding = [label for label in accuracy.labels(corpus, "smi") if "gpu.tenants" in label["unknown"]]
    assert hiding
    decided = [
        one["file"] for one in hiding if "gpu.tenants" not in undecided_of_arm(read_arm([str(corpus / one["file"])], Redactor()))
    ]
    assert decided == []
