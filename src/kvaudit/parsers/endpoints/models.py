"""`/v1/models`: what is served, under which name, up to which length.

Room: `parsers.endpoints`. vLLM 0.3 to 0.33 (`owned_by: vllm`, `root` is the path, `max_model_len`), SGLang 0.3 to 0.5.23
(`owned_by: sglang`, `root` is the served name), llama.cpp (`owned_by: llamacpp`, `meta`), LMDeploy, TensorRT-LLM. Adapters are
listed behind their base model and have a `parent`.
"""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.endpoints.answer import Answer, AnswerParser, answer_of, as_object, head_keys, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source

_OWNERS = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llamacpp": "llama_cpp",
    "lmdeploy": "lmdeploy",
    "tensorrt_llm": "tensorrt_llm",
    "library": "ollama",
}


class ModelList(AnswerParser):
    """Reads the list of models."""

    name = "endpoint:models"

    def recognises(self, source: Source) -> float:
        """An object that is a `list` and holds `data`, with models in it."""
        keys = head_keys(source)
        return 0.8 if {"object", "data"} <= set(keys) and '"model"' in source.head and '"owned_by"' in source.head else 0.0

    def read(self, source: Source) -> Reading:
        """The base model that is served; adapters are noted."""
        answer = answer_of(source, self.name)
        listed = answer.value.get("data")
        models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        bases = [one for one in models if one.get("parent") is None]
        engine = _OWNERS.get(str(bases[0].get("owned_by"))) if bases else None
        answer.say("engine.name", engine, "observed", "/data")
        notes = [f"{len(models) - len(bases)} adapters are served beside the model"] if len(models) > len(bases) else []
        served = {(str(one.get("root")), str(one.get("max_model_len"))) for one in bases}
        if len(bases) == 1 or (len(served) == 1 and bases[0].get("root") is not None):
            _state(answer, bases[0], engine)
        elif bases:
            notes.append(f"{len(bases)} models are served; none of them is taken for the run's")
        return answer.reading(engine, notes)


def _state(answer: Answer, model: dict[str, Any], engine: str | None) -> None:
    if engine == "vllm":
        answer.say("model.path", text(model.get("root")), "requested", "/data", how="root of /v1/models")
    if engine in ("vllm", "sglang"):
        answer.say("model.max_len", whole(model.get("max_model_len")), "resolved", "/data", how="max_model_len of /v1/models")
    if engine == "llama_cpp":
        meta = as_object(model.get("meta"))
        answer.say("model.max_len", whole(meta.get("n_ctx")), "resolved", "/data", how="n_ctx of one slot, of /v1/models")
