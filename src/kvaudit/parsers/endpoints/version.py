"""`/version` of vLLM and TensorRT-LLM, `/api/version` of Ollama: one version, whoever said it.

Room: `parsers.endpoints`. The answer does not name its engine; the manifest, the log or another answer does.
"""

from __future__ import annotations

from kvaudit.parsers.endpoints.answer import AnswerParser, answer_of, text
from kvaudit.parsers.facts import Reading
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_WHOLE = LatePattern(r'^\s*\{\s*"version"\s*:\s*"[0-9][0-9A-Za-z.+-]*"\s*\}\s*$')
_LONGEST = 200


class VersionAnswer(AnswerParser):
    """Reads the answer that holds a version and nothing else."""

    name = "endpoint:version"

    def recognises(self, source: Source) -> float:
        """An object whose only key is `version`, a text that begins with a digit."""
        return 0.7 if source.size <= _LONGEST and _WHOLE.search(source.head) else 0.0

    def read(self, source: Source) -> Reading:
        """The version."""
        answer = answer_of(source, self.name)
        answer.say("engine.version", text(answer.value.get("version")), "resolved", "/version")
        return answer.reading(None)
