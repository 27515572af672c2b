"""Whether a document is a vLLM log: by its own lines, never by its name, and never because it merely quotes some.

Room: one score. JSON documents, markdown, YAML and tables that quote log lines are no logs.
"""

from __future__ import annotations

import json

import re2

from kvaudit.parsers.vllm.messages import records
from kvaudit.sources.lines import hit_lines
from kvaudit.sources.source import Source

_CERTAIN = re2.compile(
    r"LLM engine \(v\d|Initializing an LLM engine with config: |vLLM (?:API )?server version |GPU KV cache size: [\d,]+ tokens|"
    r"non-default args: \{|Available KV cache memory: |# (?:GPU|cuda|CUDA) blocks: \d+, # CPU blocks: |[█▄▀].*version +\d"
)
_ENGINE_LINES = re2.compile(
    r"Avg prompt throughput: [\d.]+ tokens/s|^Using .* backend|Model loading took|Loading model weights took|"
    r"Chunked prefill is enabled with|Graph capturing finished|Free memory on device|Automatically detected platform|"
    r"Creating v1 connector|Application startup complete|EngineCore|Starting vLLM|Enforce eager set|"
    r"Unknown vLLM environment variable|vLLM|vllm"
)
_LAUNCH_ERROR = re2.compile(r"^(?:vllm|api_server\.py)[\w ]*: error: |No package metadata was found for vllm")
_OWN_PROCESS = re2.compile(r"^(?:EngineCore|APIServer|Worker|VllmWorker)")
_STAMP = re2.compile(r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./-]+\.py:\d+\] ")
_FENCE = re2.compile(r"(?m)^(?:```|#{1,4} \S)")
_MOST_RECORDS = 400


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if _quotes_logs(source):
        return 0.0
    own = min(2, len(_STAMP.findall(source.head)))
    for count, line in enumerate(hit_lines(source)):
        if count > _MOST_RECORDS:
            break
        for record in records(line):
            if _CERTAIN.search(record.message):
                return 0.95
            if record.stamped or record.process is not None:
                own += bool(record.stamped and record.file and _ENGINE_LINES.search(record.message))
                own += bool(record.process and _OWN_PROCESS.search(record.process.name))
            if _LAUNCH_ERROR.search(record.message):
                return 0.8
    return min(0.9, 0.4 + 0.1 * own) if own else 0.0


def _quotes_logs(source: Source) -> bool:
    """Whether the document is of another kind: one JSON document, or markdown."""
    head = source.head.lstrip("\ufeff \t\r\n")
    if head[:1] in "{[" and _is_one_json(source):
        return True
    return len(_FENCE.findall(source.head)) >= 3 and "INFO" not in source.head[:200]


def _is_one_json(source: Source) -> bool:
    text = source.text()
    if text is None:
        return False
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return not (isinstance(document, dict) and "message" in document and "levelname" in document)
