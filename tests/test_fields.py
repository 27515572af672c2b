"""The registry: names, references between rows, delegating values, spellings, groups."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from kvaudit.fields import FIELDS, GROUPS, SPELLINGS, STAGES, Field, known_names, spelled

ROWS = list(FIELDS.values())

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def test_stages_from_the_strongest_to_the_weakest() -> None:
    assert STAGES == ("observed", "resolved", "inferred", "requested", "stated")


def test_names_are_unique_and_in_families() -> None:
    assert len(known_names()) == len(set(known_names())) == len(ROWS)
    families = Counter(name.partition(".")[0] for name in known_names())
    assert set(families) == {
        *("engine", "model", "kv_cache", "kv_transfer", "scheduler", "attention", "moe", "linear", "graphs", "parallel"),
        *("speculative", "memory", "offload", "run", "runtime", "gpu", "service", "result"),
    }


@each_row
def test_a_row_can_be_read_by_a_stranger(row: Field) -> None:
    assert row.name == row.name.lower()
    assert row.meaning.endswith(".")
    assert row.name not in row.derives
    assert all(cause in FIELDS for cause in row.derives)
    assert 0 <= row.tolerance < 1


@each_row
def test_impact_and_rule_go_together(row: Field) -> None:
    fires = row.impact in ("error", "warning", "by size")
    assert fires == (row.rule is not None)


@each_row
def test_units_belong_to_quantities(row: Field) -> None:
    assert row.unit is None or row.type in ("int", "number", "list")
    assert row.unit in (None, "tokens", "GiB", "MiB", "bytes", "fraction", "W", "MHz", "s", "ms", "req/s", "tok/s")


@each_row
def test_a_tolerance_or_binding_rank_needs_a_number(row: Field) -> None:
    assert row.tolerance == 0 or row.type in ("int", "number", "list")
    assert not row.binding or row.type in ("int", "number")


@pytest.mark.parametrize(
    ("name", "binding"),
    [
        ("kv_cache.tokens", "min"),
        ("kv_cache.memory_gib", "min"),
        ("kv_cache.blocks", "min"),
        ("kv_cache.max_concurrency", "min"),
        ("memory.free_at_start_gib", "min"),
        ("model.weights_gib", "max"),
        ("graphs.memory_gib", "max"),
        ("kv_cache.dtype", ""),
        ("model.path", ""),
    ],
)
def test_the_rank_that_binds(name: str, binding: str) -> None:
    assert FIELDS[name].binding == binding


def test_no_field_causes_itself_through_others() -> None:
    def reaches(name: str, wanted: str, seen: frozenset[str]) -> bool:
        causes = FIELDS[name].derives
        return wanted in causes or any(reaches(cause, wanted, seen | {cause}) for cause in causes if cause not in seen)

    assert [name for name in FIELDS if reaches(name, name, frozenset({name}))] == []


DELEGATES: list[tuple[str, Any, bool]] = [
    ("kv_cache.dtype", "auto", True),
    ("kv_cache.dtype", " AUTO ", True),
    ("kv_cache.dtype", "fp8", False),
    ("model.dtype", "auto", True),
    ("model.max_len", -1, True),
    ("model.max_len", "auto", True),
    ("model.max_len", 0, False),
    ("scheduler.max_num_seqs", 0, True),
    ("scheduler.max_num_seqs", -1, True),
    ("scheduler.max_num_seqs", None, True),
    ("scheduler.max_num_seqs", "None", True),
    ("scheduler.max_num_seqs", 1, False),
    ("scheduler.max_num_batched_tokens", -1, True),
    ("scheduler.max_num_batched_tokens", 0, False),
    ("kv_cache.prefix_caching", None, True),
    ("kv_cache.prefix_caching", False, False),
    ("kv_cache.prefix_caching", True, False),
    ("kv_cache.block_size", "None", True),
    ("attention.backend", "auto", True),
    ("run.seed", None, True),
    ("run.seed", 0, False),
    ("model.quantization", None, False),
    ("model.revision", None, False),
    ("speculative.method", None, False),
    ("model.path", None, True),
    ("gpu.tenants", [], False),
    ("run.args", {}, False),
]


@pytest.mark.parametrize(("name", "value", "delegates"), DELEGATES)
def test_delegating_values(name: str, value: Any, delegates: bool) -> None:
    assert FIELDS[name].delegates(value) is delegates


@each_row
def test_auto_never_decides_and_a_truth_value_always_does(row: Field) -> None:
    assert row.delegates("auto")
    assert not row.delegates(value=False)


def test_what_a_printed_none_proves() -> None:
    assert {row.name: row.none_means for row in ROWS if row.none_means} == {
        "model.revision": "absent",
        "model.quantization": "none",
        "speculative.method": "none",
    }


@pytest.mark.parametrize(
    ("name", "raw", "recorded"),
    [
        ("kv_cache.dtype", "fp4_e2m1", "nvfp4"),
        ("kv_cache.dtype", "torch.float8_e4m3fn", "fp8_e4m3"),
        ("kv_cache.dtype", "torch.float8_e5m2", "fp8_e5m2"),
        ("kv_cache.dtype", "Half", "float16"),
        ("kv_cache.dtype", "fp8", "fp8"),
        ("model.dtype", " torch.bfloat16 ", "bfloat16"),
        ("model.dtype", "fp32", "float32"),
        ("model.path", " acme/Half ", "acme/Half"),
        ("kv_cache.tokens", 7, 7),
        ("model.quantization", None, None),
        ("gpu.names", ["half"], ["half"]),
    ],
)
def test_spellings(name: str, raw: Any, recorded: Any) -> None:
    assert spelled(name, raw) == recorded


def test_a_recorded_spelling_stays_as_it_is() -> None:
    again = {name: {spelled(name, value) for value in table.values()} - set(table.values()) for name, table in SPELLINGS.items()}
    assert again == {"model.dtype": set(), "kv_cache.dtype": set()}


def test_groups_hold_what_vary_says() -> None:
    assert list(GROUPS) == ["engine", "weights", "kv", "scheduler", "parallelism", "speculation", "memory", "workload"]
    assert {"model.path", "model.quantization", "model.weights_gib"} <= set(GROUPS["weights"])
    assert "kv_cache.dtype" not in GROUPS["weights"]
    assert {"kv_cache.dtype", "kv_cache.tokens"} <= set(GROUPS["kv"])
    assert not set(GROUPS) & set(FIELDS)


@pytest.mark.parametrize(
    "name",
    [
        "kv_cache.dtype",
        "kv_cache.tokens",
        "kv_cache.scheme",
        "model.path",
        "model.architecture",
        "parallel.tensor",
        "kv_cache.prefix_caching",
        "gpu.tenants",
        "service.restart",
    ],
)
def test_a_gate_critical_field_says_what_would_settle_it(name: str) -> None:
    assert FIELDS[name].settles
