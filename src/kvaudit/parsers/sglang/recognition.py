"""Whether a document is an SGLang log: by its own lines, never by its name, and never because it merely quotes some.

Room: one score. JSON documents and markdown that quote log lines are no logs.
"""

from __future__ import annotations

from kvaudit.parsers import engine_words
from kvaudit.parsers.log_reading import first_records
from kvaudit.parsers.quoting import is_json, markdown_marks
from kvaudit.parsers.sglang.messages import records
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_CERTAIN = LatePattern(
    r"^(?:server_args=(?:ServerArgs\(|\{)|max_total_num_tokens=\d+, (?:chunked_prefill_size=|max_prefill_tokens=)|"
    r"KV Cache is allocated\. |The server is fired up and ready to roll!|Load weight end\. (?:elapsed=[\d.]+ s, )?type=|"
    r"(?:Prefill|Decode) batch ?(?:\[\d+\])?[.,] #(?:new-seq|running-req): )"
)
_LIKELY = LatePattern(
    r"^(?:Load weight begin\. avail mem=|Init torch distributed |Memory pool end\. avail mem=|sglang is using nccl|"
    r"Scheduler hit an exception: |Received sigquit from a child process|Attention backend not |Capture cuda graph |== SGLang ==|"
    r"launch_server\.py: error: )"
)
_STAMPED = LatePattern(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_MOST_LINES = 2_000


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if _quotes_logs(source):
        return 0.0
    likely = 0
    for record in first_records(source, records, _MOST_LINES, engine_words.SGLANG):
        if _CERTAIN.search(record.message):
            return 0.96
        likely += bool(_LIKELY.search(record.message))
    return min(0.9, 0.5 + 0.1 * likely) if likely else 0.0


def _quotes_logs(source: Source) -> bool:
    """Whether the document is of another kind: one JSON document, or markdown."""
    if is_json(source) and not _is_log_record(source.text() or ""):
        return True
    marks = markdown_marks(source)
    stamp = _STAMPED.search(source.head)
    return bool(marks) and (stamp is None or marks[0] < stamp.start())


def _is_log_record(text: str) -> bool:
    return text.count("\n") <= 1 and "server_args=" in text
