"""`--checklist`: eleven answers beside the report, none of them from missing evidence, and no effect on the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.conftest import ROOT

NUMBERS = list(range(1, 12))
PAIR_ITEMS = ("startup-logs-diffed", "one-knob-two-shapes", "interval-and-floor", "best-single-change")


def _items(call: Call, *arguments: str | Path, cwd: Path) -> dict[str, dict[str, Any]]:
    report = call(*arguments, "--checklist", "--format", "json", cwd=cwd).json
    assert [item["number"] for item in report["checklist"]] == NUMBERS
    return {item["id"]: item for item in report["checklist"]}


def test_the_pair_with_a_hidden_fp8_cache_fails_three_items(bad: Path, call: Call) -> None:
    items = _items(call, "diff", "a", "b", cwd=bad)
    failed = {name for name, item in items.items() if item["state"] == "fail"}
    assert failed == {"startup-logs-diffed", "checkpoint-inspected", "one-knob-two-shapes"}
    evidence = items["checkpoint-inspected"]["evidence"]
    assert next(one["file"] for one in evidence if one["line"]) == "b/server.log"
    assert items["checkpoint-inspected"]["because"][0].startswith("hidden-fp8-kv [b]")


def test_the_good_pair_passes_what_its_evidence_shows(good: Path, call: Call) -> None:
    items = _items(call, "diff", "a", "b", cwd=good)
    for name in ("hit-rate-stored", "startup-logs-diffed", "checkpoint-inspected"):
        assert (name, items[name]["state"]) == (name, "pass")
        assert items[name]["evidence"]
    assert not [name for name, item in items.items() if item["state"] == "fail"]


@pytest.mark.parametrize("name", PAIR_ITEMS)
def test_what_asks_about_two_arms_cannot_be_told_of_one(name: str, good: Path, call: Call) -> None:
    item = _items(call, "check", "a", cwd=good)[name]
    assert item["state"] == "cannot_tell"
    assert item["because"] == ["asks about two arms: kvaudit diff A B --checklist"]


def test_missing_evidence_is_never_a_pass(call: Call) -> None:
    folder = ROOT / "fixtures" / "vllm" / "unproven-without-checkpoint"
    items = _items(call, "check", "server.log", cwd=folder)
    assert items["checkpoint-inspected"]["state"] == "cannot_tell"
    needs = ["needs a result file of the benchmark client"]
    assert items["tokens-from-usage"]["because"] == needs
    assert any("GPU snapshot" in text for text in items["watchdogs-off"]["because"])


def test_a_rule_that_was_not_asked_passes_nothing(good: Path, call: Call) -> None:
    items = _items(call, "check", "a", "--ignore", "hidden-fp8-kv", cwd=good)
    assert items["checkpoint-inspected"]["state"] == "cannot_tell"
    assert items["checkpoint-inspected"]["because"] == ["hidden-fp8-kv was not asked in this call"]


def test_a_suppressed_finding_still_answers_no(bad: Path, call: Call, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[suppress]]\nrule = "hidden-fp8-kv"\nreason = "agreed"\n')
    item = _items(call, "check", "b", "--policy", policy, cwd=bad)["checkpoint-inspected"]
    assert item["state"] == "fail"
    assert any("suppressed: agreed" in text for text in item["because"])


def test_verdict_and_exit_code_do_not_depend_on_it(bad: Path, call: Call) -> None:
    plain, with_list = call("diff", "a", "b", cwd=bad), call("diff", "a", "b", "--checklist", cwd=bad)
    assert plain.code == with_list.code == 1
    assert "Checklist" not in plain.out
    assert "  6. FAIL: The checkpoint was read" in with_list.out
    assert json.loads(call("diff", "a", "b", "--format", "json", cwd=bad).out)["checklist"] is None


def test_markdown_has_a_row_for_every_item(bad: Path, call: Call) -> None:
    page = call("diff", "a", "b", "--checklist", "--format", "markdown", cwd=bad).out
    rows = page.partition("## Checklist")[2].splitlines()
    assert sum(row.startswith(tuple(f"| {number} |" for number in NUMBERS)) for row in rows) == 11


def test_a_comparison_that_waits_for_a_fact_has_not_shown_that_nothing_differs(call: Call) -> None:
    folder = ROOT / "fixtures" / "vllm" / "stops-before-capacity"
    item = _items(call, "diff", "server.log", "server.log", cwd=folder)["startup-logs-diffed"]
    assert item["state"] == "cannot_tell"
    assert "kv_cache.tokens is not decided" in item["because"]


@pytest.mark.parametrize(("tool", "state"), [("vllm", "pass"), ("sglang-oai", "cannot_tell")])
def test_only_the_servers_usage_counts_tokens(tool: str, state: str, call: Call, tmp_path: Path) -> None:
    totals = {"duration": 10.0, "completed": 10, "total_input_tokens": 1000, "total_output_tokens": 500}
    rates = {"request_throughput": 1.0, "output_throughput": 50.0}
    own: dict[str, Any] = {"tokenizer_id": "t", "endpoint_type": "vllm", "failed": 0, "total_token_throughput": 150.0}
    if tool != "vllm":
        own = {
            "request_rate": 1.0,
            "sharegpt_output_len": None,
            "total_output_tokens_retokenized": 500,
            "input_throughput": 100.0,
        }
    (tmp_path / "run.json").write_text(json.dumps({"backend": tool, **own, **totals, **rates}))
    assert _items(call, "check", "run.json", cwd=tmp_path)["tokens-from-usage"]["state"] == state
