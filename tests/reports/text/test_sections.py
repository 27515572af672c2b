"""Single parts of the page, where a whole page would hide what matters."""

from __future__ import annotations

from dataclasses import replace

from kvaudit.audit.report import Capacity, Difference, Evidence, Factor, Finding, NotChecked, Report
from kvaudit.record.model import SourceEntry
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import render_text


def section(page: str, title: str) -> str:
    """The lines from a heading to the next blank line."""
    return page[page.index(f"\n{title}") :].split("\n\n")[0].strip("\n")


def test_few_minor_differences_are_listed(comparable_pair: Report, redactor: Redactor) -> None:
    comparable_pair.differences = comparable_pair.differences[:4]
    page = render_text(comparable_pair, redactor)
    assert "engine.starts" in page
    assert "decide nothing" not in page


def test_a_proof_is_listed_however_many_differences_are_folded(comparable_pair: Report, redactor: Redactor) -> None:
    proof = Difference(
        field="kv_cache.dtype", values=(None, None), states=("unknown", "unknown"), class_="context", proof="equal"
    )
    comparable_pair.differences.append(proof)
    page = render_text(comparable_pair, redactor)
    assert "kv_cache.dtype          unknown                unknown" in page
    assert "proved equal by comparison: KV memory ÷ tokens of both arms" in page


def test_differences_stack_on_a_narrow_page(bad_pair: Report, redactor: Redactor) -> None:
    page = render_text(bad_pair, redactor, 40)
    assert "  kv_cache.tokens  b ÷ a = 1.800\n    a  400,000 tokens\n    b  720,000 tokens\n" in page


def test_of_two_objects_only_the_keys_that_differ_are_shown(bad_pair: Report, redactor: Redactor) -> None:
    values = ({"port": 8000, "max_num_seqs": 256}, {"port": 8000, "max_num_seqs": 512})
    bad_pair.differences = [Difference(field="run.args", values=values, states=("known", "known"), class_="cosmetic")]
    page = render_text(bad_pair, redactor)
    assert "max_num_seqs=256" in page
    assert "port" not in page


def test_what_the_factors_leave_is_named(bad_pair: Report, redactor: Redactor) -> None:
    factors = [Factor(name="bytes per token", ratio=2.0), Factor(name="KV memory", ratio=0.8)]
    bad_pair.capacity = Capacity(ratio=1.8, factors=factors, residual=1.125)
    expected = "1.800 = 2.000 (bytes per token) × 0.800 (KV memory) × 1.125 (unexplained)"
    assert expected in section(render_text(bad_pair, redactor), "Capacity")


def test_a_capacity_without_factors_says_what_is_missing(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.capacity = Capacity(ratio=1.8, residual=1.8)
    assert "not decomposed: KV memory or bytes per token is not known" in render_text(bad_pair, redactor)


def test_suppressed_findings_stand_apart_with_their_reason(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings[1].state = "suppressed"
    bad_pair.findings[1].reason = "accepted until 2026-06-01"
    page = render_text(bad_pair, redactor)
    assert "warning[unequal-kv-capacity]" not in page
    assert section(page, "Suppressed") == "Suppressed\n  unequal-kv-capacity (arm a and b): accepted until 2026-06-01"


def test_one_rule_on_both_arms_is_told_once(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings = [
        Finding(
            rule="model-revision-unpinned",
            severity="warning",
            arms=[arm],
            title="Not pinned",
            message=f"Arm {arm} names no revision.",
            fix="Pass --revision.",
            evidence=[
                Evidence(arm=arm, field="model.revision", stage="resolved", file=f"{arm}.log", line=9, excerpt="revision=None")
            ],
        )
        for arm in ("a", "b")
    ]
    assert section(render_text(bad_pair, redactor), "Findings") == (
        "Findings\n"
        "warning[model-revision-unpinned] arms a and b: Not pinned\n"
        "  Arm a names no revision.\n"
        "  Arm b names no revision.\n"
        "  a  model.revision = None (resolved)\n"
        "       a.log:9  revision=None\n"
        "  b  model.revision = None (resolved)\n"
        "       b.log:9  revision=None\n"
        "  fix: Pass --revision."
    )


def test_the_same_line_is_quoted_once_in_a_finding(bad_pair: Report, redactor: Redactor) -> None:
    one = Evidence(arm="b", field="kv_cache.dtype", stage="requested", value="auto", file="b.log", line=3, excerpt="kv=auto, x=1")
    bad_pair.findings[0].evidence = [one, replace(one, field="model.dtype", value="float16")]
    page = render_text(bad_pair, redactor)
    assert (page.count("b.log:3"), page.count("kv=auto, x=1")) == (2, 1)


def test_a_long_list_of_evidence_ends_in_a_count(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings[0].evidence = [
        Evidence(arm="b", field="kv_cache.tokens", stage="observed", value=7, file="b.log", line=line, excerpt=f"rank {line}")
        for line in range(1, 13)
    ]
    page = render_text(bad_pair, redactor)
    assert "… 3 more lines in the JSON report" in page
    assert "rank 10" not in page


def test_evidence_in_json_names_its_pointer(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings[0].evidence = [
        Evidence(
            arm="b", field="kv_cache.scheme", stage="stated", value="fp8", file="config.json", pointer="/kv", excerpt='"kv": {'
        )
    ]
    assert 'config.json#/kv  "kv": {' in render_text(bad_pair, redactor)


def test_a_finding_that_is_unknown_is_no_finding(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.findings[1].state = "unknown"
    page = render_text(bad_pair, redactor)
    assert "warning[" not in page
    assert "  unequal-kv-capacity of arms a and b: Arm a holds 400,000" in section(page, "Could not be checked")


def test_an_arm_that_has_the_evidence_is_not_asked_for_it(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.arms[0].sources.append(SourceEntry(path="gpus.xml", kind="gpu-snapshot"))
    page = render_text(bad_pair, redactor)
    assert "add: -b gpus.xml" in page
    assert "-a gpus.xml" not in page


def test_the_argument_of_check_has_no_arm(single_arm: Report, redactor: Redactor) -> None:
    single_arm.not_checked = [NotChecked(rule="stray-gpu-tenant", arms=["a"], needs=["a GPU snapshot (nvidia-smi) of the host"])]
    assert section(render_text(single_arm, redactor), "Could not be checked") == (
        "Could not be checked\n"
        "  a GPU snapshot (nvidia-smi) of the host\n"
        "    add: gpus.xml   (from: nvidia-smi -q -x > gpus.xml)\n"
        "    for: stray-gpu-tenant"
    )


def test_a_model_path_that_no_shell_should_see_is_not_in_the_argument(undecided_pair: Report, redactor: Redactor) -> None:
    held = undecided_pair.arms[1].fields["model.path"]
    undecided_pair.arms[1].fields["model.path"] = replace(held, value="x; rm -rf ~")
    assert "add: -b config.json" in render_text(undecided_pair, redactor)


def test_ignored_files_are_no_notes(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.arms[0].sources.append(SourceEntry(path="weights.bin", kind="ignored", notes=["binary"]))
    bad_pair.arms[1].sources[0].notes = ["holes of NUL bytes were skipped"]
    page = render_text(bad_pair, redactor)
    assert "weights.bin" not in page
    assert "b/server.log: holes of NUL bytes were skipped" in page


def test_a_long_path_keeps_its_line_number(bad_pair: Report, redactor: Redactor) -> None:
    folder = "/srv/experiments/" + "deep/" * 30
    bad_pair.findings[0].evidence[0].file = f"{folder}server.log"
    page = render_text(bad_pair, redactor, 40)
    assert "/server.log:130" in page
    assert all(len(line) <= 40 for line in page.splitlines())
