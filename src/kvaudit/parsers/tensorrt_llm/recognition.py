"""Whether a document is a TensorRT-LLM log: by its own lines, never by its name, and never because it merely quotes some.

Room: one score. JSON documents and markdown pages that quote log lines are no logs; an excerpt quoted line by line is one.
"""

from __future__ import annotations

from kvaudit.parsers import engine_words
from kvaudit.parsers.log_reading import first_records, share_of_own_lines
from kvaudit.parsers.quoting import is_json, markdown_marks
from kvaudit.parsers.tensorrt_llm.messages import Record, records
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_CERTAIN = LatePattern(
    r"^TensorRT[- ]LLM version: \d|^Using LLM with \w+ backend|for max tokens in paged KV cache|tokens in paged KV cache|"
    r"^Peak memory during memory usage profiling|^Max KV cache (?:blocks|pages) per sequence|in KV cache primary pool: \d|"
    r"^TRTGptModel \w+: |^ATTENTION RUNTIME FEATURES|^Engine version \S+ found in the config file|^Loaded engine size: "
)
_OWN_LINE = LatePattern(
    r"\[TRT-LLM(?: AUTO-DEPLOY)?\] (?:\[(?:RANK|MPI_Rank) \d+\] )?\[[FEWIVD]\]|\[TensorRT-LLM\]\[(?:INFO|WARNING|ERROR)\]"
)
_MOST_LINES = 400
_LEAST_SHARE = 0.1


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if _quotes_logs(source):
        return 0.0
    own = 0
    for record in first_records(source, records, _MOST_LINES, engine_words.TENSORRT_LLM):
        if _is_own(record) and _CERTAIN.search(record.message):
            return 0.95
        own += record.stamped
    if own:
        return 0.8
    return 0.6 if share_of_own_lines(source, _OWN_LINE) >= _LEAST_SHARE else 0.0


def _is_own(record: Record) -> bool:
    return record.writer in ("python", "native", "banner")


def _quotes_logs(source: Source) -> bool:
    """Whether the document is of another kind: one JSON document, or a markdown page."""
    if is_json(source):
        return True
    return bool(markdown_marks(source)) and not _OWN_LINE.search(source.head[:300])
