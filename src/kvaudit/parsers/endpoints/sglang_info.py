"""`/server_info` (older: `/get_server_info`) and `/model_info` of SGLang.

Room: `parsers.endpoints`. 0.4.1 to 0.5.23 (srt/entrypoints/http_server.py): every argument of the launcher at the top, what the
scheduler measured (`max_total_num_tokens`), `internal_states` with one object per data-parallel worker, `version`. The top level
repeats the launch: `kv_cache_dtype` there is what was asked for. From 0.5.3 to 0.5.15 the workers write the type they settled on
into the arguments that `internal_states` repeat; older and newer ones do not.
"""

from __future__ import annotations

from typing import Any

from packaging.version import InvalidVersion, Version

from kvaudit.fields import FIELDS
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.endpoints.answer import Answer, AnswerParser, answer_of, as_object, head_keys, number, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.sglang.arguments import Arguments, given, said
from kvaudit.sources.source import Source

ENGINE = "sglang"
_SIGNS = frozenset({"model_path", "mem_fraction_static", "disable_radix_cache", "schedule_policy", "internal_states"})
_LEAST_SIGNS = 3
_WRITTEN_BACK = (Version("0.5.3"), Version("0.5.16"))
_STATES = "/internal_states"


class SglangServerInfo(AnswerParser):
    """Reads /server_info."""

    name = "endpoint:sglang-server-info"

    def recognises(self, source: Source) -> float:
        """The arguments of SGLang as keys of an object."""
        return 0.9 if len(_SIGNS & set(head_keys(source))) >= _LEAST_SIGNS else 0.0

    def read(self, source: Source) -> Reading:
        """Arguments, capacity, and what the workers say."""
        answer = answer_of(source, self.name)
        answer.say("engine.name", ENGINE, "observed", "/model_path")
        answer.say("engine.version", text(answer.value.get("version")), "resolved", "/version")
        arguments = Arguments(answer.value, whole=True)
        for one in said(arguments):
            answer.say(one.field, one.value, one.stage, pointer_of(one.key), how=one.how)
        launch = _launch(arguments)
        answer.say("run.args", launch or None, "requested")
        answer.say("clue.kv_dtype_engine_line", text(answer.value.get("kv_cache_dtype")), "requested", "/kv_cache_dtype")
        answer.say("clue.raw_configuration", {"server_args": launch}, "resolved")
        _measured(answer)
        return answer.reading(ENGINE)


def _launch(arguments: Arguments) -> dict[str, Any]:
    """The arguments without what the endpoint adds to them."""
    added = ("internal_states", "version", "status", "max_total_num_tokens", "max_req_input_len", "startup_time", "kv_events")
    return {key: value for key, value in given(arguments).items() if key not in added}


def _measured(answer: Answer) -> None:
    tokens = whole(answer.value.get("max_total_num_tokens"))
    states = answer.value.get("internal_states")
    workers = [as_object(one) for one in states] if isinstance(states, list) else [as_object(states)] if states else []
    if tokens is not None:
        answer.say("kv_cache.tokens", tokens, "observed", "/max_total_num_tokens")
    for index, worker in enumerate(workers):
        scope = f"DP{index}" if len(workers) > 1 else None
        memory = number(as_object(worker.get("memory_usage")).get("kvcache"))
        answer.say("kv_cache.memory_gib", memory, "observed", _STATES, how="memory_usage.kvcache", scope=scope)
        running = whole(worker.get("effective_max_running_requests_per_dp"))
        answer.say(
            "scheduler.max_num_seqs", running, "observed", _STATES, how="effective_max_running_requests_per_dp", scope=scope
        )
        _written_back(answer, worker, scope)


def _written_back(answer: Answer, worker: dict[str, Any], scope: str | None) -> None:
    dtype = text(worker.get("kv_cache_dtype"))
    if dtype is None or FIELDS["kv_cache.dtype"].delegates(dtype) or not _writes_back(answer.value.get("version")):
        return
    how = "kv_cache_dtype of internal_states, written back by the worker"
    answer.say("kv_cache.dtype", dtype, "resolved", _STATES, how=how, scope=scope)
    answer.say("clue.kv_dtype_worker", dtype, "resolved", _STATES, how=how, scope=scope)


def _writes_back(version: Any) -> bool:
    try:
        return isinstance(version, str) and _WRITTEN_BACK[0] <= Version(version) < _WRITTEN_BACK[1]
    except InvalidVersion:
        return False


class SglangModelInfo(AnswerParser):
    """Reads /model_info."""

    name = "endpoint:sglang-model-info"

    def recognises(self, source: Source) -> float:
        """Paths of model and tokenizer beside `is_generation`."""
        return 0.85 if {"model_path", "tokenizer_path", "is_generation"} <= set(head_keys(source)) else 0.0

    def read(self, source: Source) -> Reading:
        """The path of the model."""
        answer = answer_of(source, self.name)
        answer.say("engine.name", ENGINE, "observed", "/is_generation")
        answer.say("model.path", text(answer.value.get("model_path")), "requested", "/model_path")
        return answer.reading(ENGINE)
