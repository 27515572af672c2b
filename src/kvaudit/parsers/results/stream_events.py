"""The events of a raw stream, request by request: what each said of tokens, its reason to end, and how many pieces it came in.

Room: `parsers.results`. OpenAI-compatible streams (vLLM, SGLang, llama-server), SGLang's `/generate` with cumulative counts, and
llama-server's `/completion` and `timings`. Lines are split on newline only: other separators stand inside JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.results.figures import at, number, text

_BEGIN = "data:"
_PIECES = ("content", "reasoning_content", "reasoning", "text")
MOST_REQUESTS = 2_000
_LONGEST = 1 << 20


@dataclass(slots=True)
class Request:
    """One request of a stream. Lines are those of its first event and of what last told its tokens."""

    first_line: int
    identity: str | None = None
    model: str | None = None
    chunks: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    finish: str | None = None
    usage_line: int | None = None
    done: bool = False

    def row(self) -> dict[str, Any]:
        """The row that a run keeps."""
        held = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "chunks": self.chunks,
            "finish_reason": self.finish,
            "line": self.first_line,
        }
        return {name: value for name, value in held.items() if value is not None}


def requests_of(lines: Iterator[tuple[int, str]]) -> list[Request]:
    """The requests of a stream, in the order in which they begin; damaged events are passed over."""
    found: dict[str, Request] = {}
    current, anonymous = "", 0
    for line, raw in lines:
        if not raw.startswith(_BEGIN) or len(raw) > _LONGEST:
            continue
        body = raw[len(_BEGIN) :].strip()
        if body == "[DONE]":
            if current in found:
                found[current].done = True
            current, anonymous = "", anonymous + 1
            continue
        event = _event(body)
        if event is None:
            continue
        current = text(event.get("id")) or text(at(event, "meta_info", "id")) or f"stream {anonymous}"
        if current not in found and len(found) >= MOST_REQUESTS:
            continue
        _take(found.setdefault(current, Request(line, current)), event, line)
        if event.get("stop") is True:
            anonymous += 1
    return list(found.values())


def _event(body: str) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _take(request: Request, event: dict[str, Any], line: int) -> None:
    request.model = request.model or text(event.get("model"))
    choices = event.get("choices")
    for choice in choices[:16] if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            request.chunks += _is_piece(choice)
            request.finish = text(choice.get("finish_reason")) or request.finish
    if isinstance(event.get("meta_info"), dict):
        _take_native(request, event["meta_info"], line)
    elif choices is None and isinstance(event.get("content"), str):
        request.chunks += event.get("stop") is not True
    usage = event.get("usage") if isinstance(event.get("usage"), dict) else at(event, "response", "usage")
    if isinstance(usage, dict):
        _tokens(request, usage, line)
    _take_timings(request, event, line)


def _is_piece(choice: dict[str, Any]) -> bool:
    """An event that carries output, if only an empty text: a token can be half a character. The role alone is none."""
    inner = choice.get("delta")
    delta: dict[str, Any] = inner if isinstance(inner, dict) else choice
    if isinstance(delta.get("tool_calls"), list) and delta["tool_calls"]:
        return True
    said = [delta.get(key) for key in _PIECES if isinstance(delta.get(key), str)]
    return any(said) or bool(said and "role" not in delta)


def _count(value: Any) -> int | None:
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def _tokens(request: Request, usage: dict[str, Any], line: int) -> None:
    """Usage may come with every event and is then cumulative: the last one counts."""
    output = _count(usage.get("completion_tokens"))
    if output is None:
        return
    request.output_tokens, request.usage_line = output, line
    request.input_tokens = _count(usage.get("prompt_tokens"))
    cached = _count(at(usage, "prompt_tokens_details", "cached_tokens"))
    request.cached_tokens = request.cached_tokens if cached is None else cached


def _take_native(request: Request, meta: dict[str, Any], line: int) -> None:
    """SGLang's own endpoint counts in every event, and each event is a piece."""
    request.chunks += 1
    _tokens(request, meta, line)
    cached = _count(meta.get("cached_tokens"))
    request.cached_tokens = request.cached_tokens if cached is None else cached
    request.finish = text(at(meta, "finish_reason", "type")) or text(meta.get("finish_reason")) or request.finish


def _take_timings(request: Request, event: dict[str, Any], line: int) -> None:
    """llama-server's last event: prompt tokens it processed and took from the cache, and what it drafted."""
    timings = event.get("timings")
    if not isinstance(timings, dict):
        return
    processed, cached, predicted = (_count(timings.get(key)) for key in ("prompt_n", "cache_n", "predicted_n"))
    if predicted is not None and request.output_tokens is None:
        request.output_tokens, request.usage_line = predicted, line
    if cached is not None:
        request.cached_tokens = cached
        if processed is not None and request.input_tokens is None:
            request.input_tokens = processed + cached
    request.drafted, request.accepted = _count(timings.get("draft_n")), _count(timings.get("draft_n_accepted"))
    if event.get("stop") is True:
        request.finish = {"limit": "length", "eos": "stop", "word": "stop"}.get(str(event.get("stop_type"))) or request.finish
