"""Whether a document is a vLLM log: by its own lines, never by its name, and never because it merely quotes some.

Room: one score. JSON documents and markdown that quote log lines are no logs, and the output of vLLM's own benchmark client
is none either, although it is written by the same logger.
"""

from __future__ import annotations

from kvaudit.parsers.log_reading import first_records, share_of_own_lines
from kvaudit.parsers.quoting import beginning, is_json, json_keys, markdown_marks
from kvaudit.parsers.vllm.messages import Record, records
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_CERTAIN = LatePattern(
    r"LLM engine \(v\d|Initializing an LLM engine with config: |vLLM (?:API )?server version |GPU KV cache size: [\d,]+ tokens|"
    r"non-default args: \{|Available KV cache memory: |# (?:GPU|cuda|CUDA) blocks: \d+, # CPU blocks: |[█▄▀].*version +\d"
)
_ENGINE_LINES = LatePattern(
    r"Avg prompt throughput: [\d.]+ tokens/s|^Using .* backend|Model loading took|Loading model weights took|"
    r"Chunked prefill is enabled with|Graph capturing finished|Free memory on device|Automatically detected platform|"
    r"Creating v1 connector|Application startup complete|EngineCore|Starting vLLM|Enforce eager set|"
    r"Unknown vLLM environment variable|Starting to load model|Engine core initialization failed"
)
_LAUNCH_ERROR = LatePattern(r"^(?:vllm|api_server\.py)[\w ]*: error: |No package metadata was found for vllm")
_CLIENT = LatePattern(r"Namespace\(subparser='bench'|Serving Benchmark Result|Starting initial single prompt test run")
_OWN_LINE = LatePattern(
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./-]+\.py:\d+\] |"
    r"\((?:EngineCore|APIServer|Worker|VllmWorker)\w*(?: rank=\d+)? pid=\d+\)"
)
_PROMPTS = LatePattern(r"Processed prompts: .*est\. speed input")
_MOST_LINES = 400
_LEAST_SHARE = 0.3
"""A document without one telling line is still a vLLM log if this share of its lines comes from vLLM's logger."""


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if _quotes_logs(source):
        return 0.0
    telling = 0
    for record in first_records(source, records, _MOST_LINES):
        if _CERTAIN.search(record.message):
            return 0.95
        if _LAUNCH_ERROR.search(record.message):
            return 0.8
        telling += _is_telling(record)
    if _CLIENT.search(source.head):
        return 0.0
    if telling:
        return min(0.9, 0.5 + 0.1 * telling)
    return 0.5 if share_of_own_lines(source, _OWN_LINE) >= _LEAST_SHARE else 0.0


def _is_telling(record: Record) -> bool:
    if _PROMPTS.search(record.message):
        return True
    ours = bool(record.file) or (record.process is not None and record.process.name.startswith(("APIServer", "EngineCore")))
    return ours and bool(_ENGINE_LINES.search(record.message))


def _quotes_logs(source: Source) -> bool:
    """Whether the document is of another kind: one JSON document, or markdown."""
    if is_json(source) and not {"message", "levelname"} <= json_keys(source):
        return True
    return bool(markdown_marks(source)) and not _OWN_LINE.search(beginning(source).partition("\n")[0])
