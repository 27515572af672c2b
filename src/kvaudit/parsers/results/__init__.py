"""Result files of benchmark clients become runs: every figure under one name and unit, as it was printed. No arithmetic here."""

from __future__ import annotations

from kvaudit.parsers.results.parser import ResultFile

PARSERS = (ResultFile(),)
"""Every parser of result files."""

__all__ = ["PARSERS", "ResultFile"]
