"""Every parser of result files of benchmark clients, in the order in which they are asked.

Room: `parsers.results`, its list; only the registry imports it, so that a part of this package can be had without the rest.
"""

from __future__ import annotations

from kvaudit.parsers.results.aiperf_csv import AiperfTable
from kvaudit.parsers.results.client_command import ClientCommandFile
from kvaudit.parsers.results.llama_bench_text import LlamaBenchTable
from kvaudit.parsers.results.parser import ResultFile
from kvaudit.parsers.results.printed import ClientLog
from kvaudit.parsers.results.stream import EventStream

PARSERS = (ResultFile(), LlamaBenchTable(), AiperfTable(), EventStream(), ClientLog(), ClientCommandFile())
"""Every parser of result files."""
