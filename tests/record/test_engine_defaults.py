"""Defaults that moved between two releases of an engine, and what a table row must hold."""

from __future__ import annotations

from typing import Any

import pytest
from packaging.version import Version

from kvaudit.bundled import rules_folder
from kvaudit.fields import FIELDS
from kvaudit.record.engine_defaults import moves_between, release_of, shows_defaults
from kvaudit.record.engine_table import engine_table
from tests.audit.arms import record

ENGINES = sorted(path.stem for path in (rules_folder() / "engines").glob("*.yaml") if "_variables" not in path.stem)


def moved(engine: str, old: str, new: str) -> set[str]:
    arms = [record({"engine.name": engine, "engine.version": version}) for version in (old, new)]
    forward = {(move.field, move.since) for move, a_is_older in moves_between(*arms) if a_is_older}
    backward = {(move.field, move.since) for move, a_is_older in moves_between(*reversed(arms)) if not a_is_older}
    assert forward == backward
    return {field for field, _ in forward}


@pytest.mark.parametrize(
    ("engine", "old", "new", "fields"),
    [
        ("vllm", "0.19.1", "0.20.0", {"memory.utilization"}),
        ("vllm", "0.13.0", "0.14.0", {"scheduler.async_scheduling"}),
        ("vllm", "0.20.0", "0.20.1", set()),
        ("sglang", "0.4.3", "0.4.5", {"scheduler.policy", "model.trust_remote_code", "attention.backend"}),
        ("tensorrt_llm", "0.19.0", "0.20.0", {"scheduler.async_scheduling"}),
        ("llama_cpp", "6301 (0ab12cd3e)", "6451 (4ef56ab7c)", {"attention.backend"}),
    ],
)
def test_moves_between_two_releases(engine: str, old: str, new: str, fields: set[str]) -> None:
    assert moved(engine, old, new) == fields


@pytest.mark.parametrize("old", ["0.20.0rc1.dev7", "0.19.2rc1.dev2"])
def test_a_build_that_may_be_on_either_side_proves_no_move(old: str) -> None:
    assert "memory.utilization" not in moved("vllm", old, "0.24.0")


def test_releases_that_were_not_read_prove_no_move() -> None:
    assert "scheduler.policy" not in moved("sglang", "0.4.4", "0.5.3")  # read were 0.4.3 (lpm) and 0.4.5 (fcfs)


def test_other_engines_and_unknown_releases_have_no_moves() -> None:
    arms = [
        record({"engine.name": "vllm", "engine.version": "0.19.1"}),
        record({"engine.name": "sglang", "engine.version": "0.5.9"}),
    ]
    assert not list(moves_between(*arms))
    assert not list(moves_between(arms[0], record({"engine.name": "vllm"})))


def test_the_release_of_a_log_without_version_is_told_by_its_arguments() -> None:
    arguments: dict[str, Any] = {"server_args": {"cuda_graph_config": {}, "hicache_host_memory_mode": None}}
    told = release_of(record({"engine.name": "sglang", "clue.raw_configuration": arguments}))
    assert told is not None
    assert told.low == Version("0.5.18")
    assert shows_defaults("sglang")
    assert not shows_defaults("vllm")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_row_names_a_field_a_release_and_a_source(engine: str) -> None:
    for row in engine_table(engine).get("moved_defaults", []):
        assert row["field"] in FIELDS
        assert row["flag"]
        assert row["source"]
        assert set(row) <= {"field", "since", "last", "was", "now", "flag", "source"}
        assert Version(row.get("last", "0")) < Version(row["since"]) <= Version(engine_table(engine)["newest"]), row
