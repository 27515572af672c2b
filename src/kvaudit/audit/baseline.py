"""The baseline: findings that were there before, so that only new ones count.

Room: `audit`. A JSON document of fingerprints with the words they stand for; lines and files are not part of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from kvaudit import __version__
from kvaudit.audit.fingerprint import fingerprint
from kvaudit.audit.report import Report, Severity
from kvaudit.errors import InputError
from kvaudit.record.model import DOCUMENT_VERSION
from kvaudit.redaction import Level, Redactor

LARGEST = 1 << 24


class Known(BaseModel):
    """One finding that was there before."""

    fingerprint: str = Field(pattern="^[0-9a-f]{64}$")
    rule: str
    severity: Severity
    arms: list[str] = []
    message: str = ""


class Baseline(BaseModel):
    """A baseline file. `redact` is the level whose masks the fingerprints were made with."""

    document: Literal["baseline"]
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    redact: Level = "default"
    findings: list[Known] = []
    path: str = Field(default="", exclude=True)


def read_baseline(shown: str) -> Baseline:
    """The baseline of a file. Raises `InputError`."""
    path = Path(shown)
    try:
        if path.stat().st_size > LARGEST:
            raise InputError(shown, f"larger than {LARGEST} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
        return Baseline.model_validate(document).model_copy(update={"path": shown})
    except OSError as error:
        raise InputError(shown, error.strerror or str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(shown, f"no baseline: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(shown, f"no baseline: {error}") from error


def baseline_of(report: Report, redactor: Redactor) -> Baseline:
    """A baseline of every finding that fired, and of those that an older baseline already knew."""
    kept = [one for one in report.findings if one.state == "fired" or (one.reason or "").startswith("known from the baseline")]
    known = [
        Known(
            fingerprint=fingerprint(one, redactor),
            rule=one.rule,
            severity=one.severity,
            arms=one.arms,
            message=str(redactor.document(one.message)),
        )
        for one in kept
    ]
    return Baseline(document="baseline", redact=redactor.level, findings=list({one.fingerprint: one for one in known}.values()))


def to_text(baseline: Baseline) -> str:
    """The file's text, one key a line, so that a version control system shows what changed."""
    return json.dumps(baseline.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
