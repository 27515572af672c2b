"""Masks secrets and disarms control characters: the one choke point before anything is written.

Room: far left of the pipeline, next to `fields` and `errors`. It imports nothing of kvaudit. Excerpts are made here on the
whole line and cut afterwards, so a cut never separates a secret from the name that gives it away; documents pass through
`Redactor.document` once more before they leave the program.
"""

from __future__ import annotations

from kvaudit.redaction.escaping import escape
from kvaudit.redaction.redactor import EXCERPT_LIMIT, Level, Redactor

__all__ = ["EXCERPT_LIMIT", "Level", "Redactor", "escape"]
