"""Whether a document is a llama.cpp log: by its own lines, never by its name, and never because it merely quotes some.

Room: one score. JSON documents and markdown that quote log lines are no logs; lines of Ollama around them make the log Ollama's,
which scores higher.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers import engine_words
from kvaudit.parsers.llama_cpp.messages import Record, record
from kvaudit.parsers.log_reading import first_records
from kvaudit.parsers.quoting import beginning, is_json, markdown_marks
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import Line, without_colours
from kvaudit.sources.source import Source

_TELLING = LatePattern(
    r"\bllama_(?:kv_cache\w*|context|model_loader|new_context_with_model|init_from_model|model_load\w*|params_fit\w*): |"
    r"\b(?:print_info|llm_load_print_meta): \w|\b(?:llm_)?load_tensors: |\bsrv +(?:load_model|llama_server|init|update_slots): |"
    r"\bslot +\w+: id +\d+ \||\bcommon_params_print_info: |\bn_parallel is set to auto|^build: \d+ \([0-9a-f]{6,}\) with |"
    r"\ball slots are idle \|"
)
_LAUNCH_ERROR = LatePattern(r"error while handling argument ")
_LAUNCH_WORDS = LatePattern(r"\benv: LLAMA_ARG_\w+\)")
_MOST_LINES = 400


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if quotes_logs(source):
        return 0.0
    if telling := sum(
        bool(_TELLING.search(one.message)) for one in first_records(source, _records, _MOST_LINES, engine_words.LLAMA_CPP)
    ):
        return min(0.9, 0.5 + 0.1 * telling)
    refused = _LAUNCH_ERROR.search(source.head) and _LAUNCH_WORDS.search(source.head)
    return 0.8 if refused else 0.0


def _records(line: Line) -> Iterator[Record]:
    if (found := record(line)) is not None:
        yield found


def quotes_logs(source: Source) -> bool:
    """Whether the document is of another kind: one JSON document, or markdown."""
    if is_json(source):
        return True
    if not markdown_marks(source):
        return False
    return beginning(source).startswith(("# ", "## ", "<")) or not _TELLING.search(without_colours(source.head[:300]))
