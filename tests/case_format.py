"""The format of case folders: one `case.yaml` says what to run and what an auditor must make of the evidence.

Used by the walker over `fixtures/` and over the folder that KVAUDIT_CASES names. Keys: command, verdict, exit_code,
must_fire, must_not_fire, must_know, must_be_unknown, must_differ, difference_class, must_not_print, sessions, tenants,
explains, gate, stderr_must_name, more. `severity: unknown` in must_fire means: listed as undecided.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

AUDITS = ("diff", "check", "results")
SPELLINGS = {"fp8": "fp8_e4m3"}


@dataclass
class Case:
    folder: Path
    content: dict[str, Any]

    @property
    def is_audit(self) -> bool:
        return self.words[0] in AUDITS

    @property
    def words(self) -> list[str]:
        return shlex.split(self.content["command"])

    @property
    def arguments(self) -> list[str]:
        words = self.words
        return [*words, "--format", "json"] if self.is_audit and "--format" not in words else words


def load(folder: Path) -> Iterator[Case]:
    """The case of a folder, and the further commands it lists under `more`."""
    content = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
    inherited = {key: content[key] for key in ("must_not_print",) if key in content}
    yield Case(folder, content)
    for more in content.get("more") or []:
        yield Case(folder, {**inherited, **more})


def faults(case: Case, code: int, stdout: str, stderr: str) -> list[str]:
    """Everything in which the output is not what the case says."""
    found = []
    if code not in [case.content["exit_code"], *case.content.get("exit_code_also", [])]:
        found.append(f"exit {code}, want {case.content['exit_code']}: {stderr.strip()[-200:]}")
    found += [f"prints {text!r}" for text in case.content.get("must_not_print") or [] if text in stdout + stderr]
    if "Traceback" in stderr:
        found.append("a traceback")
    wanted = case.content.get("stderr_must_name")
    if wanted and wanted not in stderr:
        found.append(f"stderr does not name {wanted}")
    if case.is_audit and code != 2 and case.arguments[case.arguments.index("--format") + 1] == "json":
        found += list(_report_faults(case, json.loads(stdout)))
    return found


def _report_faults(case: Case, report: dict[str, Any]) -> Iterator[str]:
    content = case.content
    if content.get("verdict") and report["verdict"] != str(content["verdict"]).replace(" ", "_"):
        yield f"verdict {report['verdict']}, want {content['verdict']}"
    if content.get("gate") and (report.get("gate") or {}).get("decision") != content["gate"]:
        yield f"gate {(report.get('gate') or {}).get('decision')}, want {content['gate']}"
    yield from _rule_faults(content, report)
    arms = dict(zip("ab", report["arms"], strict=False))
    names = _positions(case)
    yield from _value_faults(content, arms, names)
    yield from _difference_faults(content, report)
    yield from _session_faults(content, arms, names)
    yield from _tenant_faults(content, arms, names)
    if explains := content.get("explains"):
        yield from _capacity_faults(explains, report.get("capacity") or {})


def _positions(case: Case) -> dict[str, str]:
    """Arms are named by folder in a case and by position in a report."""
    given = [word.split("/")[0] for word in case.words[1:] if (case.folder / word).exists()]
    return {name: letter for letter, name in zip("ab", dict.fromkeys(given), strict=False)}


def _rule_faults(content: dict[str, Any], report: dict[str, Any]) -> Iterator[str]:
    fired = [finding for finding in report["findings"] if finding["state"] == "fired"]
    undecided = {one["rule"] for one in report["not_checked"]} | {
        one["rule"] for one in report["findings"] if one["state"] == "unknown"
    }
    for entry in map(_as_rule, content.get("must_fire") or []):
        hits = [finding for finding in fired if finding["rule"] == entry["rule"]]
        if entry.get("severity") == "unknown":
            if entry["rule"] not in undecided:
                yield f"not listed as undecided: {entry['rule']}"
        elif not hits:
            yield f"did not fire: {entry['rule']}"
        elif entry.get("severity") and entry["severity"] not in {finding["severity"] for finding in hits}:
            yield f"{entry['rule']}: {hits[0]['severity']}, want {entry['severity']}"
        elif not any(one["line"] or one["pointer"] for finding in hits for one in finding["evidence"]) and not hits[0]["missing"]:
            yield f"{entry['rule']}: no evidence with a place"
    serious = {finding["rule"] for finding in fired if finding["severity"] in ("error", "warning")}
    for name in content.get("must_not_fire") or []:
        if name in serious or (name == "*" and serious):
            yield f"fired: {sorted(serious) if name == '*' else name}"


def _as_rule(entry: Any) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"rule": entry}
    return dict(entry)


def _value_faults(content: dict[str, Any], arms: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    for folder, wanted in (content.get("must_know") or {}).items():
        fields = arms[names.get(folder, folder)]["fields"]
        for name, value in (wanted or {}).items():
            state = fields.get(name, {"state": "unknown", "value": None})
            if not _is(value, state):
                yield f"{folder}.{name}: {state['value']!r} ({state['state']}), want {value!r}"
    for folder, unknown in (content.get("must_be_unknown") or {}).items():
        fields = arms[names.get(folder, folder)]["fields"]
        for name in unknown or []:
            if fields.get(name, {}).get("state") == "known":
                yield f"{folder}.{name}: claimed {fields[name]['value']!r}"


def _is(wanted: Any, state: dict[str, Any]) -> bool:
    tolerance = 0.005
    if isinstance(wanted, dict) and "value" in wanted:
        tolerance = float(wanted.get("rel_tol") or wanted.get("tol") or tolerance)
        absolute = wanted.get("abs_tol")
        wanted = wanted["value"]
        tolerance = max(tolerance, absolute / wanted) if absolute and wanted else tolerance
    if wanted is None:
        return state["state"] != "known" or state["value"] in (None, "none")
    value = state["value"]
    if isinstance(value, list) and len(value) == 1 and not isinstance(wanted, list):
        value = value[0]
    return state["state"] == "known" and _same(wanted, value, tolerance)


def _same(wanted: Any, value: Any, tolerance: float) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return math.isclose(wanted, value, rel_tol=tolerance, abs_tol=1e-9)
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(_same(one, other, tolerance) for one, other in zip(wanted, value, strict=True))
    return bool(_word(wanted) == _word(value))


def _word(value: Any) -> Any:
    return SPELLINGS.get(str(value).lower(), str(value).lower())


def _difference_faults(content: dict[str, Any], report: dict[str, Any]) -> Iterator[str]:
    classes = {one["field"]: one["class"] for one in report.get("differences", [])}
    for name in content.get("must_differ") or []:
        if classes.get(name) in (None, "unknown", "cosmetic"):
            yield f"no difference shown: {name}"
    for name, wanted in (content.get("difference_class") or {}).items():
        if str(name) in classes and classes[str(name)] != wanted:
            yield f"{name} shown as {classes[str(name)]}, want {wanted}"


def _session_faults(content: dict[str, Any], arms: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    sessions = content.get("sessions")
    for folder, wanted in dict(sessions if isinstance(sessions, dict) else {}).items():
        found = arms[names.get(str(folder), str(folder))]["sessions"]
        for key, value in (wanted if isinstance(wanted, dict) else {"count": wanted}).items():
            if key in ("count", "selected", "ready") and found[key] != value:
                yield f"{folder}: sessions {key} {found[key]}, want {value}"


def _tenant_faults(content: dict[str, Any], arms: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    for folder, wanted in (content.get("tenants") or {}).items():
        shown = arms[names.get(folder, folder)]["fields"].get("gpu.tenants", {}).get("value") or []
        classes = {one.get("pid"): one.get("class") for one in shown}
        yield from (
            f"{folder}: process {one['pid']} is {classes.get(one['pid'])}, want {one['class']}"
            for one in wanted
            if classes.get(one["pid"]) != one["class"]
        )


def _capacity_faults(explains: dict[str, Any], capacity: dict[str, Any]) -> Iterator[str]:
    if not math.isclose(capacity.get("ratio") or 0, explains["ratio"], rel_tol=0.01):
        yield f"capacity ratio {capacity.get('ratio')}, want {explains['ratio']}"
    shown = {factor["name"]: factor["ratio"] for factor in capacity.get("factors", [])}
    for name, value in (explains.get("factors") or {}).items():
        if not math.isclose(shown.get(name, 0), value, rel_tol=0.02):
            yield f"capacity factor {name}: {shown.get(name)}, want {value}"
