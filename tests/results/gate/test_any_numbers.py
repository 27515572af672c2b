"""Whatever numbers come in, the gate answers, and its answer is JSON."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from kvaudit.results.gate.decide import decide

FIGURES = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8)
NEAR = st.lists(st.floats(min_value=0.9, max_value=1.1), min_size=6, max_size=8)


@settings(max_examples=60, deadline=None)
@given(FIGURES | NEAR, FIGURES | NEAR, st.sampled_from([None, True, False]), st.sampled_from(["output_throughput", "itl.p99"]))
def test_any_figures_get_an_answer(a: list[float], b: list[float], interleaved: bool | None, metric: str) -> None:
    gate = decide(a, b, metric=metric, interleaved=interleaved)
    assert gate.decision in ("accept", "reject", "tie", "not_enough_runs")
    assert min(gate.n) >= 6 or gate.decision == "not_enough_runs"
    assert gate.reasons
    json.dumps(gate.model_dump(mode="json"), allow_nan=False)
