"""Whether a run measured a steady state of the load it offered, and whether the server could take that load at all.

Room: `results`. Every reason is a sentence with its figures; none of them says that a figure is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.parsers.results.run import Run
from kvaudit.results.formula import value_of
from kvaudit.results.repeats import mean_length
from kvaudit.results.runs import closed_loop

SUSTAINED = 0.95
_WAVES = 4
_SHORTEST_SECONDS = 10
_IN_FLIGHT = 0.8
_MANY_WAVES = 10


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why the figures of a run are not those of a steady state: a sentence, and the quantities that say so."""

    run: Run
    text: str
    names: tuple[str, ...]
    fields: tuple[str, ...] = ()
    """Fields of the server that say so."""


def doubts(run: Run) -> list[Doubt]:
    """What the run itself says against a steady state."""
    found = (_not_sustained(run), _few_waves(run), _short(run), _one_burst(run), _not_in_flight(run))
    return [one for one in found if one is not None]


def judgeable(run: Run) -> bool:
    """Whether the run says enough: its duration or what it offered and reached."""
    return run.number("duration") is not None or _share_of_rate(run) is not None


def _share_of_rate(run: Run) -> float | None:
    return value_of("request_throughput / request_rate", run) or value_of("completed / duration / request_rate", run)


def _not_sustained(run: Run) -> Doubt | None:
    share = _share_of_rate(run)
    if share is None or share >= SUSTAINED:
        return None
    offered = run.number("request_rate")
    text = f"{share:.1%} of the offered {offered:g} requests/s were reached, so latencies tell of queueing"
    return Doubt(run, text, ("request_throughput", "request_rate"))


def _few_waves(run: Run) -> Doubt | None:
    waves, most = value_of("completed / max_concurrency", run), run.number("max_concurrency")
    if waves is None or most is None or most <= 1 or waves >= _WAVES:
        return None
    text = f"{waves:.1f} requests for each of {most:g} places in flight: most of the run fills and drains the server"
    return Doubt(run, text, ("completed", "max_concurrency"))


def _short(run: Run) -> Doubt | None:
    seconds, mean = run.number("duration"), run.number("e2e.mean")
    if seconds is None or seconds >= _SHORTEST_SECONDS:
        return None
    if mean and seconds * 1000 >= 100 * mean:
        return None
    return Doubt(run, f"the run lasted {seconds:.3g} s", ("duration",))


def _one_burst(run: Run) -> Doubt | None:
    """Requests that all begin at once and take as long as the run."""
    longest = run.number("e2e.p99") or run.number("e2e.max")
    seconds, completed = run.number("duration"), run.number("completed")
    if not longest or not seconds or not completed or completed < 2 or longest / 1000 < 0.5 * seconds:
        return None
    name = "e2e.p99" if "e2e.p99" in run.values else "e2e.max"
    return Doubt(run, f"its slowest requests took {longest / 1000:.3g} s of the {seconds:.3g} s measured", (name, "duration"))


def _not_in_flight(run: Run) -> Doubt | None:
    """A client that should keep the server full and does not (Little's law)."""
    flying, most = value_of("completed * e2e.mean / 1000 / duration", run), run.number("max_concurrency")
    waves = value_of("completed / max_concurrency", run)
    if flying is None or not most or waves is None or waves < _MANY_WAVES or closed_loop(run) is not True:
        return None
    if flying >= _IN_FLIGHT * most:
        return None
    text = f"{flying:.1f} requests were in flight on average, where the client allows {most:g}"
    return Doubt(run, text, ("completed", "e2e.mean", "duration", "max_concurrency"))


def over_capacity(run: Run, *, seats: float | None, tokens: float | None) -> Doubt | None:
    """More requests in flight than the server runs at once (`seats`), or than its KV pool holds (`tokens`)."""
    most = run.number("max_concurrency")
    if most is None:
        return None
    if seats and most > seats:
        text = f"the client keeps {most:g} requests in flight, the server runs {seats:g} at once: the others wait"
        return Doubt(run, text, ("max_concurrency",), ("scheduler.max_num_seqs",))
    lengths = [mean_length(run, name) for name in ("input_tokens", "output_tokens")]
    if not tokens or not lengths[0] or not lengths[1]:
        return None
    needed = most * (lengths[0] + lengths[1] / 2)
    if needed <= tokens:
        return None
    text = f"{most:g} requests of {lengths[0]:.0f} + {lengths[1]:.0f} tokens do not fit into a pool of {tokens:,.0f} tokens"
    return Doubt(run, text, ("max_concurrency", "input_tokens", "output_tokens"), ("kv_cache.tokens",))
