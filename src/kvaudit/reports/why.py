"""The page of `kvaudit why`: one field of one arm, every fact about it, and which one was believed and why.

Room: `reports`, the entry point to `text/provenance`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.reports.interface import FALLBACK_WIDTH

if TYPE_CHECKING:
    from kvaudit.record.model import Record
    from kvaudit.redaction import Redactor


def why_page(
    record: Record, field: str, redactor: Redactor, width: int | None = None, colour: bool = False, *, arm: str | None = None
) -> str:
    """Where the value of `field` comes from, ending in a newline; `arm` is named where the record is one of two."""
    from kvaudit.reports.redacted import redacted, without_facts
    from kvaudit.reports.text.provenance import provenance

    return provenance(redacted(without_facts(record, keep=field), redactor), field, arm, width or FALLBACK_WIDTH, colour)
