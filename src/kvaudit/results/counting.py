"""Whether the output tokens of a run are really stream events, and what says so.

Room: `results`. A claim is proven where several tokens per event are known from elsewhere (acceptance length, stream interval,
speculation of the server) and the total fits events; without that, a tool that counts events is a suspicion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.results.checking import relative_error
from kvaudit.results.chunks import AGGREGATES, GAPS_OF_EVENTS, event_counted, peak_below_mean, per_chunk
from kvaudit.results.formula import value_of
from kvaudit.results.pinned import expected_output_tokens, fitting_output, pinned_input, pinned_output, reports_what_was_asked

_SEVERAL = 1.10
"""Tokens per event from which on a count of events is no longer a count of tokens."""
_NEAR = 0.05
_ALIKE = 0.03
_ASKED = "the lengths asked for"
_TRUTHS = {"the pinned lengths": 0.97, _ASKED: 0.97, "the text counted again": 0.9, "the server's counter": 0.97}


@dataclass(frozen=True, slots=True)
class Server:
    """What other evidence of the arm says about the run: None where it says nothing."""

    accept_length: float | None = None
    speculation: str | None = None
    """The method, `none` where it is proven off."""
    generated_tokens: float | None = None
    """Output tokens that the server counted in the window of the run."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A run whose output tokens are stream events. `tokens` is the true number where it is known, `factor` tokens per event."""

    run: Run
    proven: bool
    text: str
    names: tuple[str, ...]
    tokens: float | None = None
    factor: float | None = None


def counted_by_events(run: Run, server: Server | None = None) -> Counted | None:
    """The claim, None where nothing speaks for it."""
    server = server or Server()
    several = tokens_per_event(run, server)
    witnesses = (_said_by_file, _against_truth, _one_per_event, _events_listed)
    found = [claim for witness in witnesses if (claim := witness(run, server, several)) is not None]
    return next((claim for claim in found if claim.proven), found[0] if found else None)


def tokens_per_event(run: Run, server: Server) -> float | None:
    """Tokens per stream event as the acceptance length and the stream interval give it; None where neither is known."""
    accepted = run.number("accept_length") or server.accept_length
    interval = run.number("stream_interval")
    parts = [one for one in (accepted, interval) if one and one > 1]
    if not parts:
        return None
    return parts[0] * parts[1] if len(parts) > 1 else parts[0]


def _speculates(run: Run, server: Server) -> bool:
    if server.speculation:
        return server.speculation != "none"
    return bool((run.number("accept_length") or 0) > 1 or (run.number("drafts") or 0) > 0)


def _said_by_file(run: Run, server: Server, several: float | None) -> Counted | None:
    """The format counts events where `usage` is missing, and says so; a mean of exactly one token per event is the same."""
    held = run.values.get("output_tokens")
    said = held is not None and held.counted == "chunks"
    if not said and run.number("tokens_per_iteration") != 1.0:
        return None
    proven = bool(several and several >= _SEVERAL) or _speculates(run, server)
    if not said and not proven:
        return None
    why = f", and a step of the server gives {several:.2f} tokens" if several and several > 1 else ""
    text = f"the client counts stream events as output tokens{why}"
    return Counted(
        run, proven, text, ("output_tokens", "tokens_per_iteration", "accept_length", "stream_interval"), factor=several
    )


def _against_truth(run: Run, server: Server, several: float | None) -> Counted | None:
    """Fewer output tokens than there must be, by the tokens per event."""
    for source, true, reported, names in _truths(run, server):
        if not reported or reported >= _TRUTHS[source] * true:
            continue
        factor = true / reported
        fits = several is not None and relative_error(factor, several) <= _NEAR
        if not fits and (several is not None or source == _ASKED or not _speculates(run, server)):
            continue
        if source == _ASKED and _merged(run):
            continue
        why = f"the acceptance length is {several:.2f}" if fits and several else "the server speculates"
        text = f"{reported:,.6g} where {source} give {true:,.6g}, {factor:.2f} times as many, and {why}"
        return Counted(run, source != _ASKED, text.replace("counter give", "counter gives"), names, true, factor)
    return None


def _merged(run: Run) -> bool:
    """Whether the gaps show several of the reported tokens in an event: then they are tokens, and answers ended early."""
    per_event = per_chunk(run)
    return per_event is not None and per_event.tokens >= _SEVERAL


def _truths(run: Run, server: Server) -> Iterable[tuple[str, float, float | None, tuple[str, ...]]]:
    """What the output must be, by its source: the true figure, the reported one in the same unit, and their quantities."""
    tokens = run.number("output_tokens")
    if not reports_what_was_asked(run):
        pinned, rate = expected_output_tokens(run), _pinned_rate(run)
        if pinned and tokens:
            yield "the pinned lengths", pinned, tokens, ("output_tokens", "completed", "output_length")
        elif rate:
            names = ("output_throughput", "input_throughput", "request_throughput", "input_length", "output_length")
            yield "the pinned lengths", rate, run.number("output_throughput"), names
    if server.generated_tokens:
        yield "the server's counter", server.generated_tokens, tokens, ("output_tokens",)
    if tokens and fitting_output(run) and not pinned_output(run) and not reports_what_was_asked(run):
        asked = (run.number("output_length") or 0.0) * (run.number("completed") or 0.0)
        yield _ASKED, asked, tokens, ("output_tokens", "completed", "output_length")
    again = run.number("output_tokens_retokenized")
    if again:
        yield "the text counted again", again, tokens, ("output_tokens", "output_tokens_retokenized")


def _pinned_rate(run: Run) -> float | None:
    """Output tokens per second by the prompts or the requests per second, where lengths are pinned."""
    length, prompt = pinned_output(run), pinned_input(run)
    prompts, requests = run.number("input_throughput"), run.number("request_throughput")
    if length and requests:
        return requests * length
    return prompts * length / prompt if length and prompt and prompts else None


def _one_per_event(run: Run, server: Server, several: float | None) -> Counted | None:
    """Gaps by the reported tokens are gaps by events, although each event holds several tokens: the tokens are the events."""
    ratio = value_of(AGGREGATES, run) if run.tool.startswith(GAPS_OF_EVENTS) else None
    if ratio is None or several is None or several < _SEVERAL + _ALIKE or run.tool.startswith("sglang"):
        return None
    if abs(ratio - 1) > _ALIKE:
        return None
    text = f"they are as many as the stream's events ({ratio:.2f} per event), while a step of the server gives {several:.2f}"
    return Counted(run, True, text, ("output_tokens", "itl.mean", "e2e.mean", "ttft.mean", "accept_length"), factor=several)


def _events_listed(run: Run, server: Server, several: float | None) -> Counted | None:
    """The events are listed, and there are as many as tokens, although each holds several."""
    tokens, events, completed = (run.number(name) for name in ("output_tokens", "chunks.sum", "completed"))
    if not tokens or not events or several is None or several < _SEVERAL or run.tool.startswith("sglang"):
        return None
    if abs(tokens - events) > (completed or 0):
        return None
    text = f"{tokens:,.0f} output tokens are its {events:,.0f} stream events, while a step of the server gives {several:.2f}"
    return Counted(run, True, text, ("output_tokens", "chunks.sum", "accept_length"), factor=several)


def distrusted(run: Run, server: Server | None = None) -> Counted | None:
    """Figures beside the total that count events while events hold several tokens: the peak, and gaps called inter-token."""
    server = server or Server()
    per_event = per_chunk(run, server.accept_length)
    named = event_counted(run)
    merged = per_event is not None and per_event.tokens > 1.2
    if not named or not (merged or (per_event is None and peak_below_mean(run))):
        return None
    told = per_event.told if per_event else "the peak of tokens per second is below their mean"
    text = f"{told}; {' and '.join(named.values())} count{'s' * (len(named) == 1)} events, not tokens"
    return Counted(
        run, False, text, (*(per_event.names if per_event else ()), *named), factor=per_event.tokens if per_event else None
    )
