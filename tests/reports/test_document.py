"""The JSON document has the keys of the contract, and numbers without binary noise."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from typing import Any

from kvaudit.audit.report import Report
from kvaudit.redaction import Redactor
from kvaudit.reports.document import document, to_json
from kvaudit.reports.interface import render_json

REPORT_KEYS = {
    "document", "version", "kvaudit", "command", "verdict", "exit_code", "settings", "arms", "findings", "differences",
    "capacity", "other_differences", "not_checked", "summary",
}  # fmt: skip
FINDING_KEYS = {"rule", "severity", "state", "arms", "title", "message", "evidence", "missing", "fix", "explained_by"}
EVIDENCE_KEYS = {"arm", "field", "stage", "value", "file", "line", "pointer", "excerpt"}
DIFFERENCE_KEYS = {"field", "values", "states", "ratio", "class", "explained_by", "proof"}
RECORD_KEYS = {"document", "version", "kvaudit", "label", "sources", "sessions", "fields"}
SOURCE_KEYS = {"path", "kind", "engine", "sha256", "bytes", "lines", "wrapper", "notes", "unparsed"}
FIELD_KEYS = {"state", "value", "unit", "stage", "because", "facts"}


def written(report: Report) -> dict[str, Any]:
    held = json.loads(render_json(report, Redactor()))
    assert isinstance(held, dict)
    return held


def test_the_keys_of_the_contract(bad_pair: Report) -> None:
    report = written(bad_pair)
    arm = report["arms"][1]
    assert report.keys() >= REPORT_KEYS
    assert report["findings"][0].keys() >= FINDING_KEYS
    assert report["findings"][0]["evidence"][0].keys() >= EVIDENCE_KEYS
    assert report["differences"][0].keys() == DIFFERENCE_KEYS
    assert arm.keys() >= RECORD_KEYS
    assert arm["sources"][0].keys() >= SOURCE_KEYS
    assert arm["fields"]["kv_cache.dtype"].keys() == FIELD_KEYS
    assert arm["fields"]["kv_cache.dtype"]["facts"][0].keys() == {"stage", "value", "unit", "scope", "how", "origins"}
    assert arm["sessions"].keys() == {"count", "selected", "ready", "list"}
    assert report["summary"] == {"error": 1, "warning": 1, "note": 0, "suppressed": 0}


def test_equal_reports_are_equal_bytes(bad_pair: Report) -> None:
    assert render_json(bad_pair, Redactor()) == render_json(deepcopy(bad_pair), Redactor())


def test_ratios_have_six_digits_and_figures_no_binary_noise(bad_pair: Report) -> None:
    assert bad_pair.capacity is not None
    bad_pair.capacity.ratio = 720_000 / 399_999
    bad_pair.differences[0].values = (0.1 + 0.2, 1.0)
    report = written(bad_pair)
    assert report["capacity"]["ratio"] == 1.8
    assert report["differences"][0]["values"] == [0.3, 1.0]


def test_what_is_no_number_is_null(bad_pair: Report) -> None:
    bad_pair.differences[0].values = (math.nan, math.inf)
    bad_pair.differences[0].ratio = math.nan
    first = written(bad_pair)["differences"][0]
    assert (first["values"], first["ratio"]) == ([None, None], None)


def test_words_of_all_scripts_stay_readable(bad_pair: Report) -> None:
    bad_pair.reasons = ["模型 × 2"]
    assert "模型 × 2" in render_json(bad_pair, Redactor())


def test_a_record_alone_is_a_document(bad_pair: Report, redactor: Redactor) -> None:
    text = to_json(document(bad_pair.arms[0], redactor))
    assert text.endswith("}\n")
    assert json.loads(text)["document"] == "record"
