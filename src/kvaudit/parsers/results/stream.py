"""A raw stream of server-sent events, saved from curl or a proxy: one run with a row per request.

Room: `parsers.results`. Tokens are those that the server reports; where it reports none they are unknown, never the number of
pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.results.columns import numbered
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.figures import Draft
from kvaudit.parsers.results.run import Value
from kvaudit.parsers.results.stream_events import MOST_REQUESTS, Request, requests_of
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_DATA = LatePattern(r"(?m)^data: ?\{.*\"(?:choices|meta_info|content)\"")
_OTHER = LatePattern(r"^(?:data:|event:|id:|retry:|:|HTTP/|[A-Za-z-]{2,40}: |[<>*{}] |\s*$)")


class EventStream:
    """Reads server-sent events of generation endpoints."""

    name = "results:stream"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Events of a generation, and hardly a line that is none of a stream."""
        if not _DATA.search(source.head):
            return 0.0
        lines = source.head.split("\n")[:400]
        odd = sum(_OTHER.search(line[:200]) is None for line in lines[:-1])
        data = sum(line.startswith("data:") for line in lines)
        return 0.95 if data > odd * 5 else 0.0

    def read(self, source: Source) -> Reading:
        """One run for the file. Raises `InputError` when it is too large or holds no whole event."""
        text = source.text()
        if text is None:
            raise InputError(source.path, "too large for a stream of one document")
        requests = requests_of(_lines(text))
        if not requests:
            raise InputError(source.path, "events of a stream, and none that can be read")
        draft, reading = _draft(requests), Reading(kind=self.kind)
        places = _places(text, requests)
        reading.facts = Teller(source, self.name, text).told(draft, places, 1)
        reading.notes = _notes(requests)
        return reading


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, _, line in numbered(text):
        yield number, line.rstrip("\r")


def _draft(requests: list[Request]) -> Draft:
    run = Draft("event-stream", {}, model=next((one.model for one in requests if one.model), None))
    run.hold("completed", sum(bool(one.finish or one.done) for one in requests))
    run.hold("streaming", raw=True)
    run.hold("chunks.sum", sum(one.chunks for one in requests) or None)
    ended = [one for one in requests if one.finish]
    if ended:
        run.hold("finished", len(ended))
        run.hold("truncated", sum(one.finish == "length" for one in ended))
    _hold_sum(run, "input_tokens", requests, lambda one: one.input_tokens)
    _hold_sum(run, "output_tokens", requests, lambda one: one.output_tokens, "usage")
    _hold_sum(run, "cached_tokens", requests, lambda one: one.cached_tokens)
    _hold_sum(run, "draft_tokens", requests, lambda one: one.drafted)
    _hold_sum(run, "accepted_tokens", requests, lambda one: one.accepted)
    run.requests = [one.row() for one in requests]
    return run


def _hold_sum(
    run: Draft, name: str, requests: list[Request], of: Callable[[Request], int | None], counted: str | None = None
) -> None:
    """A sum over all requests; none where one of them does not tell."""
    told = [value for one in requests if (value := of(one)) is not None]
    if len(told) == len(requests):
        run.values[name] = Value(value=sum(told), pointer="usage", counted=counted)


def _places(text: str, requests: list[Request]) -> dict[str, Place]:
    """The first event, and the line that told the tokens of the first request."""
    wanted = {"": requests[0].first_line, "usage": requests[0].usage_line or requests[0].first_line}
    offsets = {number: offset for number, offset, _ in numbered(text) if number in wanted.values()}
    return {pointer: Place(line, offsets[line]) for pointer, line in wanted.items()}


def _notes(requests: list[Request]) -> list[str]:
    silent = [one for one in requests if one.output_tokens is None]
    notes = []
    if silent:
        lines = ", ".join(str(one.first_line) for one in silent[:4])
        which = f"{len(silent)} of {len(requests)} streams" if len(requests) > 1 else "the stream"
        notes.append(f"{which} (from line {lines}) without usage: the tokens cannot be known from its pieces")
    if len(requests) >= MOST_REQUESTS:
        notes.append(f"only the first {MOST_REQUESTS} requests are read")
    return notes
