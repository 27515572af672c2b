"""All parsers, and which of them a source belongs to.

Room: `parsers`. The list is the only place that names every format; imports are late, so a command that reads nothing pays
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from kvaudit.parsers.interface import Parser
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source

_LEAST_CONFIDENCE = 0.5


@cache
def all_parsers() -> tuple[Parser, ...]:
    """Every parser, logs first."""
    from kvaudit.parsers import checkpoint, endpoints, metrics, results, services, snapshots
    from kvaudit.parsers.gguf import GgufHeader
    from kvaudit.parsers.launch_command.parser import LaunchCommandFile
    from kvaudit.parsers.llama_cpp.parser import LlamaCppLog
    from kvaudit.parsers.lmdeploy.parser import LmdeployLog
    from kvaudit.parsers.ollama.parser import OllamaLog
    from kvaudit.parsers.saved_record import SavedRecord
    from kvaudit.parsers.sglang.parser import SglangLog
    from kvaudit.parsers.tensorrt_llm.parser import TensorRtLlmLog
    from kvaudit.parsers.tgi.parser import TgiLog
    from kvaudit.parsers.vllm.parser import VllmLog

    files = (*checkpoint.PARSERS, GgufHeader())
    logs = (VllmLog(), SglangLog(), LlamaCppLog(), OllamaLog(), TensorRtLlmLog(), LmdeployLog(), TgiLog())
    beside = (*metrics.PARSERS, *endpoints.PARSERS, *results.PARSERS)
    documents: tuple[Parser, ...] = (*files, *snapshots.PARSERS, *beside, *services.PARSERS)
    return (*logs, SavedRecord(), *documents, LaunchCommandFile())


@cache
def all_hints() -> Hints:
    """The hints of all parsers as one scan."""
    parsers = all_parsers()
    return Hints(
        tuple(hint for parser in parsers for hint in parser.hints),
        tuple(hint for parser in parsers for hint in parser.periodic_hints),
    )


def recognise(source: Source, parsers: Sequence[Parser] | None = None) -> Parser | None:
    """The parser that is most confident about the source; None where none is confident."""
    ranked = [(parser.recognises(source), parser) for parser in parsers or all_parsers()]
    confidence, best = max(ranked, key=lambda item: item[0])
    return best if confidence >= _LEAST_CONFIDENCE else None


def tried() -> list[str]:
    """What a source was tried as, for the message about one that nobody recognised."""
    return list(dict.fromkeys(parser.name for parser in all_parsers()))
