"""`kvaudit results` through the front door: verdicts, exit codes, formats, the gate, errors that help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kvaudit.cli.main import cli
from tests.conftest import ROOT

FIXTURES = ROOT / "fixtures" / "results"
STORY = FIXTURES / "speculation-counted-by-chunks"
PAIRS = FIXTURES / "six-honest-pairs"


def call(*arguments: object) -> Result:
    """The command in this process; its exit code is the return value."""
    done = CliRunner().invoke(cli, ["results", *map(str, arguments)], standalone_mode=False)
    assert done.exception is None, done.output
    return done


def report_of(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--format", "json").stdout)
    return found


def test_the_corrected_total_is_right() -> None:
    """349 requests of 4,096 + 512 tokens in 256 s: 698 output and 6,282 total tok/s, where the file counts 362 and 5,946."""
    report = report_of(STORY / "a", STORY / "b")
    rows = {row["arm"]: row for row in report["results"]["runs"]}
    assert rows["b"]["figures"]["output_throughput"] == 362.0
    assert rows["b"]["corrected_output_throughput"] == pytest.approx(698.0)
    assert rows["b"]["corrected_total_throughput"] == pytest.approx(6282.0)
    assert rows["a"]["corrected_output_throughput"] == pytest.approx(rows["a"]["figures"]["output_throughput"])
    assert rows["a"]["correction"] == rows["b"]["correction"]
    assert report["gate"]["difference_percent"] == pytest.approx(100 * (698 / (349 * 512 / 358.4) - 1))


def test_what_is_not_comparable_is_said_above_any_number() -> None:
    text = call(STORY / "a", STORY / "b").stdout
    assert text.index("The arms are not comparable") < min(text.index("698"), text.index("362"))


def test_memory_and_quality_stand_in_one_table() -> None:
    text = call(PAIRS / "a", PAIRS / "b").stdout
    assert "row label" in text
    assert "output_throughput" in text
    assert " ± " in text
    assert "Gate: accept b by output_throughput (higher is better)" in text


@pytest.mark.parametrize("format_", ["text", "json", "markdown", "sarif", "junit", "github", "gitlab"])
def test_every_format(format_: str) -> None:
    done = call(STORY / "a", STORY / "b", "--format", format_)
    assert done.return_value == 1
    assert "output-tokens-counted-by-chunks" in done.stdout


def test_a_rejection_without_a_finding_is_seen_in_ci() -> None:
    arms = (PAIRS / "b", PAIRS / "a", "--ignore", "row-label-incomplete")
    sarif = json.loads(call(*arms, "--format", "sarif").stdout)
    (invocation,) = sarif["runs"][0]["invocations"]
    assert invocation["exitCode"] == 1
    assert any("gate: reject b" in one["message"]["text"] for one in invocation["toolExecutionNotifications"])
    (entry,) = json.loads(call(*arms, "--format", "gitlab").stdout)
    assert (entry["check_name"], entry["severity"]) == ("acceptance-gate", "critical")
    assert '<failure message="PASS · no findings · exit 1: the gate rejects b"' in call(*arms, "--format", "junit").stdout
    assert "::error title=kvaudit::PASS · no findings · exit 1: the gate rejects b" in call(*arms, "--format", "github").stdout


def test_markdown_holds_the_table_and_the_gate() -> None:
    text = call(PAIRS / "a", PAIRS / "b", "--format", "markdown").stdout
    assert "## Results" in text
    assert "## Gate: accept b" in text


@pytest.mark.parametrize(
    ("arguments", "decision", "code"),
    [
        ([PAIRS / "a", PAIRS / "b"], "accept", 0),
        ([PAIRS / "b", PAIRS / "a"], "reject", 1),
        ([PAIRS / "b", PAIRS / "a", "--fail-on", "never"], "reject", 0),
        ([PAIRS / "a", PAIRS / "a"], "tie", 0),
        ([PAIRS / "a/decode-1.json", PAIRS / "b/decode-1.json"], "not_enough_runs", 3),
        ([PAIRS / "a", PAIRS / "b", "--metric", "p99_itl"], "accept", 0),
        ([PAIRS / "a", PAIRS / "b", "--metric", "total_throughput", "--not-interleaved"], "accept", 0),
    ],
)
def test_the_gate_decides_the_exit_code(arguments: list[object], decision: str, code: int) -> None:
    done = call(*arguments, "--format", "json")
    assert json.loads(done.stdout)["gate"]["decision"] == decision
    assert done.return_value == code
    assert f"gate: {decision.replace('_', ' ')}" in done.stderr


def test_the_same_results_on_both_sides_differ_in_nothing() -> None:
    report = report_of(PAIRS / "a", PAIRS / "a")
    assert report["verdict"] == "pass"
    assert [one["rule"] for one in report["findings"] if len(one["arms"]) > 1] == []


def test_a_combination_is_set_against_its_best_single_change() -> None:
    """The combination is what the single change is already: the gate does not accept it on top."""
    done = call(PAIRS / "a", PAIRS / "b", "--single", f"graphs={PAIRS / 'b'}", "--format", "json")
    report = json.loads(done.stdout)
    assert report["gate"]["combination"]["best_single"] == "graphs"
    assert report["gate"]["decision"] == "tie"
    assert "combination-not-better-than-best-single" in {one["rule"] for one in report["findings"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([ROOT / "fixtures/vllm/prefix-caching-off/a"], "holds no benchmark results; read instead"),
        ([STORY / "a", ROOT / "fixtures/vllm/prefix-caching-off/a"], "arm b holds no benchmark results"),
        ([STORY / "a", "-b", STORY / "b"], "belong to two arms"),
        ([STORY / "a", STORY / "b", "--metric", "trhoughput"], "throughput"),
        ([STORY / "a", STORY / "b", "--single", "graphs"], "NAME=PATH"),
        ([STORY / "nothing.json"], "nothing.json"),
    ],
)
def test_errors_say_what_to_do(arguments: list[object], words: str) -> None:
    done = call(*arguments)
    assert done.return_value == 2
    assert words in done.stderr


def test_more_evidence_about_an_arm(tmp_path: Path) -> None:
    log = ROOT / "fixtures/vllm/prefix-caching-off/a/server.log"
    report = report_of(PAIRS / "a", "-a", log)
    assert "row-label-incomplete" not in {one["rule"] for one in report["findings"]}
    assert report["results"]["table"][0]["label"].startswith("Boreal-14B · vllm, KV")
    assert report["results"]["table"][0]["requests_at_8k"] == pytest.approx(268_624 / 8192)
    saved = tmp_path / "report.json"
    saved.write_text(json.dumps(report), encoding="utf-8")


def test_a_file_without_two_figures_to_compare_passes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    latencies = {"avg_latency": 1.2, "latencies": [1.1, 1.3], "percentiles": {"50": 1.2, "99": 1.3}}
    file.write_text(json.dumps(latencies), encoding="utf-8")
    done = call(file, "--format", "json")
    assert json.loads(done.stdout)["verdict"] == "cannot_tell"
    assert done.return_value == 3
    assert call(file, "--accept-unknown", "result.completed").return_value == 0


def test_help_shows_examples_and_the_codes_of_the_gate() -> None:
    text = call("--help").output
    assert "kvaudit results bench.json" in text
    assert "not enough runs" in text


def test_metrics_are_completed_for_the_shell() -> None:
    from kvaudit.cli.results_command import complete_metric

    assert "ttft.p99" in complete_metric(None, None, "ttft")  # type: ignore[arg-type]
    assert complete_metric(None, None, "out")[0] == "output_throughput"  # type: ignore[arg-type]


def test_a_server_that_nothing_tells_of_is_said_first_and_asked_for_once() -> None:
    page = " ".join(call(PAIRS / "a", PAIRS / "b").stdout.split())
    assert "• The servers of arms a and b were not audited: no log, metrics or launch command is among the evidence." in page
    needs = page.partition("Could not be checked")[2]
    assert needs.count("an engine log") - needs.count("an engine log with its starts") == 1


def test_the_table_fits_a_page_of_24_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    page = call(PAIRS / "a", PAIRS / "b").stdout
    table = page.partition("\nResults\n")[2].partition("\nGate")[0].splitlines()
    assert len(table) > 10
    assert max(map(len, table)) <= 24
