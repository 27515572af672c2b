"""Whether a document is a log of Ollama: by the lines of `ollama serve`, which stand around those of llama.cpp.

Room: one score, higher than llama.cpp's where both speak.
"""

from __future__ import annotations

from kvaudit.parsers import engine_words
from kvaudit.parsers.llama_cpp.recognition import quotes_logs
from kvaudit.parsers.log_reading import first_records
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_CERTAIN = LatePattern(
    r"source=[\w.]+\.go:\d+ msg=\"(?:server config|starting runner|starting llama[ -]server|inference compute|"
    r"llama runner started|llama-server started|Listening on \S+ \(version|offload to )|"
    r"INFO server config env=|msg=load request=\"\{Operation:|"
    r"source=server\.go:\d+ msg=offload |msg=\"requested context size too large for model\""
)
_ROUTES = LatePattern(r"\[GIN\] .*\"/api/(?:tags|chat|generate|embed\w*|pull|show|ps|version)\"")
_MOST_LINES = 400


def score(source: Source) -> float:
    """Confidence between 0 and 1."""
    if quotes_logs(source):
        return 0.0
    if any(
        _CERTAIN.search(text) for text in first_records(source, lambda line: iter([line.text]), _MOST_LINES, engine_words.OLLAMA)
    ):
        return 0.97
    return 0.6 if len(_ROUTES.findall(without_colours(source.head))) >= 3 else 0.0
