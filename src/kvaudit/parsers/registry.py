"""All parsers, and which of them a source belongs to.

Room: `parsers`. The only place that names every format. Parsers of logs are loaded where a word of their engine stands in the
source, those of documents (checkpoints, snapshots, results, services) where no parser of a log is sure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from kvaudit.compiled import compiled, digest_of
from kvaudit.parsers import engine_words
from kvaudit.parsers.hints import CLIENT_TABLE, MANAGER
from kvaudit.parsers.interface import Parser
from kvaudit.parsers.own_outputs import is_own_output
from kvaudit.sources.lines import hit_lines
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source

_LEAST_CONFIDENCE = 0.5
_SURE = 0.9
"""A log with a line that only one engine writes; no document says more for itself than that."""

_MOST_LINES = 2_001
"""No parser looks at more lines to recognise its log."""


@dataclass(frozen=True, slots=True)
class _Log:
    """A log parser: the package it is in, its class, and words of which one stands in every log that it recognises."""

    engine: str
    name: str
    words: tuple[str, ...]

    def parser(self) -> Parser:
        """The parser, loaded now."""
        return _loaded(self)


_LOGS = (
    _Log("vllm", "VllmLog", ("",)),
    _Log("sglang", "SglangLog", engine_words.SGLANG),
    _Log("llama_cpp", "LlamaCppLog", engine_words.LLAMA_CPP),
    _Log("ollama", "OllamaLog", engine_words.OLLAMA),
    _Log("tensorrt_llm", "TensorRtLlmLog", engine_words.TENSORRT_LLM),
    _Log("lmdeploy", "LmdeployLog", engine_words.LMDEPLOY),
    _Log("tgi", "TgiLog", engine_words.TGI),
)
_WITH_HINTS = ("rows*.py", "statistics.py", "parser.py")


@cache
def _loaded(log: _Log) -> Parser:
    parser: Parser = getattr(import_module(f"kvaudit.parsers.{log.engine}.parser"), log.name)()
    return parser


def log_parsers() -> tuple[Parser, ...]:
    """The parsers of engine logs."""
    return tuple(log.parser() for log in _LOGS)


@cache
def document_parsers() -> tuple[Parser, ...]:
    """The parsers of everything else, in the order in which they are asked."""
    from kvaudit.parsers.checkpoint.catalogue import PARSERS as CHECKPOINT
    from kvaudit.parsers.endpoints.catalogue import PARSERS as ENDPOINTS
    from kvaudit.parsers.gguf.parser import GgufHeader
    from kvaudit.parsers.launch_command.parser import LaunchCommandFile
    from kvaudit.parsers.metrics.catalogue import PARSERS as METRICS
    from kvaudit.parsers.results.catalogue import PARSERS as RESULTS
    from kvaudit.parsers.saved_record import SavedRecord
    from kvaudit.parsers.services.catalogue import PARSERS as SERVICES
    from kvaudit.parsers.snapshots.catalogue import PARSERS as SNAPSHOTS

    beside = (*METRICS, *ENDPOINTS, *RESULTS)
    return (SavedRecord(), *CHECKPOINT, GgufHeader(), *SNAPSHOTS, *beside, *SERVICES, LaunchCommandFile())


def all_parsers() -> tuple[Parser, ...]:
    """Every parser, logs first."""
    return (*log_parsers(), *document_parsers())


@cache
def all_hints() -> Hints:
    """The hints of all parsers as one scan."""
    plain, periodic = _compiled_hints() or hints_of_parsers()
    return Hints((*plain, CLIENT_TABLE, *MANAGER), periodic)


def hints_of_parsers() -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The hints of all log parsers, and those of their periodic lines."""
    logs = log_parsers()
    plain = tuple(dict.fromkeys(hint for parser in logs for hint in parser.hints))
    return plain, tuple(dict.fromkeys(hint for parser in logs for hint in parser.periodic_hints))


def _compiled_hints() -> tuple[tuple[bytes, ...], tuple[bytes, ...]] | None:
    held: Any = (compiled() or {}).get("hints")
    if not isinstance(held, dict) or held.get("digest") != hints_digest():
        return None
    return tuple(hint.encode() for hint in held["plain"]), tuple(hint.encode() for hint in held["periodic"])


def hints_digest() -> str:
    """The digest of everything that the hints of log parsers are written in."""
    folder = Path(__file__).resolve().parent
    files = (path for log in _LOGS for name in _WITH_HINTS for path in sorted((folder / log.engine).glob(name)))
    shared = (folder / "kernel_notices.py", folder / "tables.py")
    return digest_of([*files, *(path for path in shared if path.is_file())])


def recognise(source: Source) -> Parser | None:
    """The parser that is most confident about the source; None where none is confident, and for what this program wrote."""
    if is_own_output(source):
        return None
    confidence, best = _most_confident(source, _loadable(source))
    if confidence < _SURE:
        of_document, document = _most_confident(source, document_parsers())
        if of_document > confidence:
            confidence, best = of_document, document
    return best if confidence >= _LEAST_CONFIDENCE else None


def _loadable(source: Source) -> Iterable[Parser]:
    """The parsers of logs of which a word stands in the source."""
    texts = [source.head, *(line.text for line in islice(hit_lines(source), _MOST_LINES))]
    for log in _LOGS:
        if any(word in text for text in texts for word in log.words):
            yield log.parser()


def _most_confident(source: Source, parsers: Iterable[Parser]) -> tuple[float, Parser | None]:
    return max(((parser.recognises(source), parser) for parser in parsers), key=lambda item: item[0], default=(0.0, None))


def tried() -> list[str]:
    """What a source was tried as, for the message about one that nobody recognised."""
    return list(dict.fromkeys(parser.name for parser in all_parsers()))
