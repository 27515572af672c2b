"""`/props` of llama.cpp's server: model file, slots, context of a slot, build. It says nothing of the KV cache's type or size.

Room: `parsers.endpoints`. llama.cpp b4798 to b11434 (tools/server): `build_info` is `b11434-515e85511`; a build outside of a
repository says `b0-unknown` or `b1-<hash>`.
"""

from __future__ import annotations

from kvaudit.parsers.endpoints.answer import AnswerParser, answer_of, as_object, head_keys, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.llama_cpp.converters import quantization, version
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

ENGINE = "llama_cpp"
_BUILD = LatePattern(r"^b(\d+)-([0-9a-f]{6,40})$")


class LlamaProps(AnswerParser):
    """Reads /props."""

    name = "endpoint:llama-props"

    def recognises(self, source: Source) -> float:
        """Generation settings beside slots."""
        return 0.9 if {"default_generation_settings", "total_slots"} <= set(head_keys(source)) else 0.0

    def read(self, source: Source) -> Reading:
        """The settings that the server settled on."""
        answer = answer_of(source, self.name)
        value, settings = answer.value, as_object(answer.value.get("default_generation_settings"))
        answer.say("engine.name", ENGINE, "observed", "/default_generation_settings")
        if build := _BUILD.search(str(value.get("build_info"))):
            answer.say("engine.version", version(f"{build.group(1)} {build.group(2)}"), "resolved", "/build_info")
        answer.say("model.path", text(value.get("model_path")), "requested", "/model_path")
        answer.say("model.quantization", quantization(str(value.get("model_ftype") or "")), "resolved", "/model_ftype")
        answer.say("scheduler.max_num_seqs", whole(value.get("total_slots")), "resolved", "/total_slots")
        length = whole(settings.get("n_ctx"))
        answer.say("model.max_len", length, "resolved", "/default_generation_settings/n_ctx", how="context of one slot")
        return answer.reading(ENGINE)
