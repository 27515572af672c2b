"""`/slots` of llama.cpp's server: how many slots there are, and the context of each.

Room: `parsers.endpoints`. llama.cpp b3400 to b11434 (tools/server).
"""

from __future__ import annotations

from kvaudit.parsers.endpoints.answer import KIND, AnswerParser, listed, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_SIGN = LatePattern(r'^\s*\[\s*\{\s*"id"\s*:\s*\d+\s*,\s*"(?:id_task"\s*:\s*-?\d+\s*,\s*")?n_ctx"\s*:')


class LlamaSlots(AnswerParser):
    """Reads /slots."""

    name = "endpoint:llama-slots"

    def recognises(self, source: Source) -> float:
        """An array whose first object begins with an id and a context."""
        return 0.9 if _SIGN.search(source.head) else 0.0

    def read(self, source: Source) -> Reading:
        """Slots and the smallest context of one."""
        found, origin = listed(source, self.name)
        slots = [one for one in found if isinstance(one, dict)]
        lengths = [length for one in slots if (length := whole(one.get("n_ctx"))) is not None]
        facts = [fact("engine.name", "llama_cpp", "observed", [origin])]
        facts.append(fact("scheduler.max_num_seqs", len(slots), "resolved", [origin], how="slots that /slots lists"))
        if lengths and len(lengths) == len(slots):
            facts.append(fact("model.max_len", min(lengths), "resolved", [origin], how="context of one slot"))
        busy = sum(one.get("is_processing") is True for one in slots)
        notes = [f"{busy} of {len(slots)} slots were busy"] if busy else []
        return Reading(kind=KIND, engine="llama_cpp", facts=facts, notes=notes)
