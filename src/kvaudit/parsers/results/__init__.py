"""Result files of benchmark clients become runs: every figure under one name and unit, as it was printed. No arithmetic here."""

from __future__ import annotations

from kvaudit.parsers.results.aiperf_csv import AiperfTable
from kvaudit.parsers.results.client_command import ClientCommandFile
from kvaudit.parsers.results.llama_bench_text import LlamaBenchTable
from kvaudit.parsers.results.parser import ResultFile
from kvaudit.parsers.results.printed import ClientLog
from kvaudit.parsers.results.stream import EventStream

PARSERS = (ResultFile(), LlamaBenchTable(), AiperfTable(), EventStream(), ClientLog(), ClientCommandFile())
"""Every parser of result files."""

__all__ = ["PARSERS", "AiperfTable", "ClientCommandFile", "ClientLog", "EventStream", "LlamaBenchTable", "ResultFile"]
