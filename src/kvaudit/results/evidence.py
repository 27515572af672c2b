"""One arm's results together with what its other evidence says: the questions that rules ask.

Room: `results`, its front. Each answer is a list of statements with their figures and places; nothing is weighed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.metrics.shapes import Window
from kvaudit.parsers.results.run import Run
from kvaudit.record.model import Record
from kvaudit.results.agreement import against_log, against_server, server_tokens, window_of
from kvaudit.results.corrections import Corrected, corrections
from kvaudit.results.counting import Counted, Server, counted_by_events, distrusted
from kvaudit.results.disagreements import Disagreement, disagreements
from kvaudit.results.load import Doubt, doubts, over_capacity
from kvaudit.results.runs import runs_of

_KEPT: list[Results] = []
_MOST_KEPT = 4
"""A rule's condition, severity and message ask about the same two arms."""


def results_of(record: Record) -> Results:
    """The results of a record; asked again of the same record, what was worked out is not worked out anew."""
    held = next((one for one in _KEPT if one.record is record), None)
    if held is None:
        held = Results(record)
        _KEPT.insert(0, held)
        del _KEPT[_MOST_KEPT:]
    return held


@dataclass
class Results:
    """The results of one arm."""

    record: Record

    @cached_property
    def runs(self) -> list[Run]:
        """Every run of the arm."""
        return runs_of(self.record)

    @cached_property
    def window(self) -> Window | None:
        """The window of the server's counters."""
        return window_of(self.record)

    def server(self, run: Run) -> Server:
        """What other evidence than the file says of a run."""
        alone = len(self.runs) == 1
        return Server(
            accept_length=self._accept_length() if alone else None,
            speculation=self._speculation(),
            generated_tokens=server_tokens(self.window, [run], "generation_tokens") if alone else None,
        )

    def _accept_length(self) -> float | None:
        """1 + accepted ÷ steps, by the counters of the window."""
        deltas = self.window.deltas if self.window else {}
        drafts, accepted = deltas.get("drafts"), deltas.get("accepted_tokens")
        return 1 + accepted / drafts if drafts and accepted is not None else None

    def _speculation(self) -> str | None:
        method = self.record.value("speculative.method")
        return str(method) if method is not None else "none" if self.record.state("speculative.method") == "absent" else None

    @cached_property
    def counted(self) -> list[Counted]:
        """Runs whose output tokens are stream events, proven ones first."""
        found = [claim for run in self.runs if (claim := counted_by_events(run, self.server(run))) is not None]
        return sorted(found, key=lambda claim: not claim.proven)

    @cached_property
    def distrusted(self) -> list[Counted]:
        """Runs of which figures beside the total count events."""
        return [claim for run in self.runs if (claim := distrusted(run, self.server(run))) is not None]

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Figures that do not agree, within each file and with the server; the gravest first."""
        found = [one for run in self.runs for one in disagreements(run, self.server(run))]
        if self.runs and not any(claim.proven for claim in self.counted):
            found += [
                Disagreement(self.runs[0], one.text, one.names, one.serious, one.error, origins=one.origins)
                for one in against_server(self.runs, self.window)
            ]
        apart = [(run, one) for run in self.runs if (one := against_log(run, self.record)) is not None]
        found += [Disagreement(run, one.text, one.names, one.serious, one.error, one.fields) for run, one in apart[:1]]
        return sorted(found, key=lambda one: not one.serious)

    @cached_property
    def doubts(self) -> list[Doubt]:
        """Why runs are not in a steady state, or more than the server could take."""
        seats, tokens = (_number(self.record.value(name)) for name in ("scheduler.max_num_seqs", "kv_cache.tokens_total"))
        tokens = tokens or _number(self.record.value("kv_cache.tokens"))
        replicas = _number(self.record.value("parallel.data")) or 1.0
        over = (over_capacity(run, seats=seats * replicas if seats else None, tokens=tokens) for run in self.runs)
        return [*(one for run in self.runs for one in doubts(run)), *(one for one in over if one is not None)]

    def server_origins(self, quantity: str) -> list[Origin]:
        """The lines of a counter of the window."""
        return list(self.window.origins.get(quantity, [])) if self.window else []


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def recomputed(results: Sequence[Results]) -> list[list[Corrected]] | None:
    """The corrected throughputs of every run of every arm, where output tokens of one are proven to be events.

    One formula for all of them; None where nothing has to be corrected, or where no formula fits every run.
    """
    if not any(claim.proven for one in results for claim in one.counted):
        return None
    owners = [(one, run) for one in results for run in one.runs]
    counted = {id(run): one.server(run).generated_tokens for one, run in owners}
    runs = [run for _, run in owners]
    found = corrections(runs) or corrections(runs, lambda run: counted[id(run)])
    if found is None:
        return None
    rest = iter(found)
    return [[next(rest) for _ in one.runs] for one in results]
