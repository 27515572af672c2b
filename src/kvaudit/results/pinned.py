"""Runs whose answers all had the length asked for, and what follows from it.

Room: `results`. Lengths are pinned where the client let generation run on past the end-of-sequence token and asked for one
length; a range of lengths, or a client that reports the length it asked for, pins nothing.
"""

from __future__ import annotations

from kvaudit.parsers.results.run import Run
from kvaudit.results.runs import flag

_FITS = 0.01
_FITS_AS_EVENTS = 0.05
_WHOLE_PROMPT = 0.02
"""Special tokens that a server adds to a prompt of known length."""


def pinned_output(run: Run) -> float | None:
    """The output length of every answer, None where it is not pinned."""
    length = run.number("output_length")
    return length if length and length > 0 and flag(run, "ignore_eos") is True else None


def pinned_input(run: Run) -> float | None:
    """The prompt length of every request: the one asked for, where the mean measured is that length."""
    length, completed, tokens = (run.number(name) for name in ("input_length", "completed", "input_tokens"))
    if not length or length <= 0:
        return None
    if not completed or tokens is None:
        return length
    return length if abs(tokens / completed - length) <= _WHOLE_PROMPT * length else None


def reports_what_was_asked(run: Run) -> bool:
    """SGLang's client reports the requested length as the output of OpenAI endpoints: its total proves nothing there."""
    return run.tool.startswith("sglang") or any(
        held.counted == "requested" for name, held in run.values.items() if name == "output_tokens"
    )


def expected_output_tokens(run: Run) -> float | None:
    """Completed requests times the pinned length."""
    length, completed = pinned_output(run), run.number("completed")
    return length * completed if length and completed else None


def fitting_output(run: Run) -> float | None:
    """The length asked for, where nothing says that answers might end earlier and the total fits it: as it is, or as events.

    A total that is completed × length to one per cent has answers of that length; one that is so only times the acceptance length
    (five per cent) has them too if its tokens are events.
    """
    length, completed, tokens = (run.number(name) for name in ("output_length", "completed", "output_tokens"))
    if not length or not completed or not tokens or flag(run, "ignore_eos") is False:
        return None
    accepted = run.number("accept_length") or 1.0
    fits = abs(tokens - completed * length) <= _FITS * completed * length
    as_events = accepted > 1 and abs(tokens * accepted - completed * length) <= _FITS_AS_EVENTS * completed * length
    return length if fits or as_events else None
