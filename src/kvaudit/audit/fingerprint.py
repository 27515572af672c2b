"""What a finding is about, as a short digest: the rule, the arms, the fields and their values, never a line or a file.

Room: `audit`. Baselines, SARIF and GitLab know a finding again by it when the log has grown or moved. Values are masked before
they are digested, so that a digest cannot be tried against guesses of a secret.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from kvaudit.audit.report import Evidence, Finding
from kvaudit.patterns import LatePattern
from kvaudit.redaction import Redactor

_MASK = LatePattern(r"<secret-[0-9a-z]+>")
_DIGITS = 2
"""Measured figures differ a little from start to start: two digits of them tell one finding from another."""
_MEASURED = ("observed", "inferred")
_PROCESS_KEYS = ("class", "name")
"""What a process is, without the number and size that it has in one run."""


def fingerprint(finding: Finding, redactor: Redactor) -> str:
    """64 hexadecimal digits that stay the same while rule, arms, fields and values do. The masks are those of the redactor."""
    said = sorted({_said(one) for one in finding.evidence}) or sorted(finding.missing)
    text = json.dumps([finding.rule, sorted(finding.arms), said], ensure_ascii=False)
    return hashlib.sha256(str(_MASK.sub("<secret>", redactor.mask(text))).encode("utf-8", "replace")).hexdigest()


def _said(evidence: Evidence) -> str:
    value = _stable(evidence.value, evidence.stage in _MEASURED)
    return f"{evidence.arm} {evidence.field} {json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)}"


def _stable(value: Any, measured: bool) -> Any:
    if isinstance(value, list):
        items = [_stable(one, measured) for one in value]
        return sorted(items, key=str) if any(isinstance(one, dict) for one in value) else items
    if isinstance(value, dict):
        if "pid" in value:
            return {key: str(value.get(key)) for key in _PROCESS_KEYS}
        return {str(key): _stable(one, measured) for key, one in value.items()}
    if measured and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.{_DIGITS}g}"
    return value
