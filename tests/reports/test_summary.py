"""The line on stderr names the verdict, the counts, and every fact that is open or was accepted."""

from __future__ import annotations

from kvaudit.audit.report import Report
from kvaudit.reports.summary import summary_line


def test_a_bad_pair(bad_pair: Report) -> None:
    assert summary_line(bad_pair) == "kvaudit diff: not comparable; 1 error, 1 warning"


def test_an_undecided_pair(undecided_pair: Report) -> None:
    expected = "kvaudit diff: cannot tell; no findings; undecided: kv_cache.dtype; accepted as unknown: gpu.tenants"
    assert summary_line(undecided_pair) == expected


def test_suppressed_findings_are_counted(single_arm: Report) -> None:
    single_arm.summary.suppressed = 2
    assert summary_line(single_arm) == "kvaudit check: pass; 2 suppressed"
