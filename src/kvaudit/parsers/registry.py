"""All parsers, and which of them a source belongs to.

Room: `parsers`. The only place that names every format. Logs come first: their parsers are thin until they read, and where one is
sure of a log, the parsers of documents (checkpoints, snapshots, results, services) are not even loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kvaudit.parsers.hints import CLIENT_TABLE, MANAGER
from kvaudit.parsers.interface import Parser
from kvaudit.parsers.own_outputs import is_own_output
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source

_LEAST_CONFIDENCE = 0.5
_SURE = 0.9
"""A log with a line that only one engine writes; no document says more for itself than that."""


@cache
def log_parsers() -> tuple[Parser, ...]:
    """The parsers of engine logs."""
    from kvaudit.parsers.llama_cpp.parser import LlamaCppLog
    from kvaudit.parsers.lmdeploy.parser import LmdeployLog
    from kvaudit.parsers.ollama.parser import OllamaLog
    from kvaudit.parsers.sglang.parser import SglangLog
    from kvaudit.parsers.tensorrt_llm.parser import TensorRtLlmLog
    from kvaudit.parsers.tgi.parser import TgiLog
    from kvaudit.parsers.vllm.parser import VllmLog

    return (VllmLog(), SglangLog(), LlamaCppLog(), OllamaLog(), TensorRtLlmLog(), LmdeployLog(), TgiLog())


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
    logs = log_parsers()
    return Hints(
        (*(hint for parser in logs for hint in parser.hints), CLIENT_TABLE, *MANAGER),
        tuple(hint for parser in logs for hint in parser.periodic_hints),
    )


def recognise(source: Source) -> Parser | None:
    """The parser that is most confident about the source; None where none is confident, and for what this program wrote."""
    if is_own_output(source):
        return None
    confidence, best = _most_confident(source, log_parsers())
    if confidence < _SURE:
        of_document, document = _most_confident(source, document_parsers())
        if of_document > confidence:
            confidence, best = of_document, document
    return best if confidence >= _LEAST_CONFIDENCE else None


def _most_confident(source: Source, parsers: Iterable[Parser]) -> tuple[float, Parser]:
    return max(((parser.recognises(source), parser) for parser in parsers), key=lambda item: item[0])


def tried() -> list[str]:
    """What a source was tried as, for the message about one that nobody recognised."""
    return list(dict.fromkeys(parser.name for parser in all_parsers()))
