"""A saved record may hold anything under the names of clues and fields: no crash, and nothing claimed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from kvaudit.audit.audit import Wishes, check
from kvaudit.audit.rules import bundled_rules
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.record.model import Record
from kvaudit.record.services.settle import settle_services
from kvaudit.record.table import FactTable
from kvaudit.record.tenants.classes import classify_tenants

NAMES = (
    *("clue.service_setting", "clue.launch_command", "clue.empty_argument", "clue.visible_devices", "clue.crash_seconds"),
    *(
        "clue.restart_policy",
        "clue.service_state",
        "clue.snapshot_capture",
        "clue.gpu_condition",
        "clue.process_ids",
        "gpu.tenants",
    ),
    *("service.restart", "service.restarts", "service.watchdogs", "gpu.memory_used_mib", "parallel.gpus", "gpu.count"),
)
KEYS = (
    *("manager", "service", "document", "section", "key", "value", "engine", "model", "lines", "devices", "variable", "flag"),
    *("place", "gpu.tenants", "kind", "text", "endless", "because", "misplaced", "pid", "mib", "name", "class", "gpu", "reason"),
)
WORDS = st.sampled_from(
    ["systemd", "atlas.service", "Restart", "NRestarts", "command", "cycle", "foreign", "own", "VLLM::Worker_TP0", "5", ""]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=True), WORDS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6), max_leaves=8
)
FACTS = st.builds(
    lambda name, value, placed: Fact(
        field=name, stage="observed", value=value, origins=[Origin(file="saved.json", line=1)] * placed
    ),
    st.sampled_from(NAMES),
    VALUES,
    st.booleans(),
)


@given(st.lists(FACTS, max_size=10))
@limits(max_examples=150, deadline=None)
def test_anything_under_a_clues_name(facts: list[Fact]) -> None:
    table = FactTable([Fact(field="engine.name", stage="resolved", value="vllm", origins=[Origin(file="a", line=1)]), *facts])
    settle_services(table)
    classify_tenants(table)
    fields: dict[str, Any] = {name: table.state(name) for name in {*table.fields, *table.settled}}
    report = check(Record(label="saved", fields=fields, clues=table.clues), bundled_rules(), Wishes())
    assert report.verdict in ("pass", "fail", "cannot_tell")
