"""The ladder of evidence: which rung decides whose a process is.

Room: `record.tenants`. From the firmest to the weakest: the process id, the title and its count, the memory taken at the start,
the memory that the run must hold. The reason begins with the name of the rung. What no rung decides stays unknown: a wrong owner
is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kvaudit.record.tenants.evidence import Run, sound
from kvaudit.record.tenants.titles import ONE_PROCESS, is_engine, is_interpreter, is_titled, rank_of

Tenant = dict[str, Any]

_MIB_PER_GIB = 1024
_HELPER_MIB = 600
"""A bare context of an interpreter: a helper of the run as well as anybody's."""

_TAKEN_GIB = 2.0
_NEAR = 0.1


@dataclass(slots=True)
class _Case:
    """One snapshot beside one run: all processes, and those whose owner is open."""

    run: Run
    tenants: list[Tenant]

    @property
    def open(self) -> list[Tenant]:
        return [one for one in self.tenants if one.get("class") == "unknown"]

    @property
    def own(self) -> list[Tenant]:
        return [one for one in self.tenants if one.get("class") == "own"]

    def settle(self, chosen: Sequence[Tenant], kind: str, reason: Callable[[Tenant], str] | str) -> None:
        for one in chosen:
            one["class"], one["reason"] = kind, reason if isinstance(reason, str) else reason(one)


def classified(found: Any, run: Run) -> list[Tenant]:
    """The processes with class and reason. Input is what the snapshot's parser said, never changed."""
    tenants = sound(found)
    for one in tenants:
        one.setdefault("class", "unknown")
    case = _Case(run, tenants)
    if not _by_process_id(case):
        _by_title(case)
    _other_engines(case)
    _by_accounting(case)
    _by_memory_at_start(case)
    _by_expected_use(case)
    return tenants


def _pids_of(tenants: Sequence[Tenant]) -> set[Any]:
    return {one.get("pid") for one in tenants}


def _by_process_id(case: _Case) -> bool:
    """The log prints ids of the snapshot's host: whoever it names is the run's own. False where the ids are of elsewhere."""
    run, pids = case.run, case.run.all_pids
    computing = [one for one in case.tenants if one.get("class") != "desktop"]
    matched = [one for one in case.tenants if one.get("pid") in pids]
    if run.is_of_a_container({pid for one in computing if isinstance(pid := one.get("pid"), int)}):
        matched = [one for one in matched if is_titled(one.get("name"), run.engine)]
    if not matched:
        return False
    case.settle(matched, "own", lambda one: f"pid: the log names process {one.get('pid')}")
    taken = {rank_of(one.get("name")) for one in matched}
    for one in case.open:
        if not is_titled(one.get("name"), run.engine):
            continue
        rank = rank_of(one.get("name"))
        if rank and rank not in taken and not _is_full(case):
            taken.add(rank)
            case.settle([one], "own", f"title: rank {rank} of the engine, of which the log printed no line")
        elif rank in taken or _is_full(case):
            case.settle(
                [one],
                "foreign",
                lambda one: f"pid: titled like the engine, but the log names other processes than {one.get('pid')}",
            )
    return True


def _is_full(case: _Case) -> bool:
    """Whether all the processes that the run needs are found."""
    return case.run.processes is not None and len(_pids_of(case.own)) >= case.run.processes


def _by_title(case: _Case) -> None:
    """Processes titled like the engine, as many as the run needs."""
    run = case.run
    titled = [one for one in case.open if is_titled(one.get("name"), run.engine)]
    pids, needed = _pids_of(titled), 1 if run.engine in ONE_PROCESS else run.processes
    if not titled:
        return
    why = (
        "the log prints no process ids"
        if not run.all_pids
        else "the log's process ids are of another namespace, such as a container's"
    )
    if len(pids) <= (needed or _ranks(titled)):
        fitting = [one for one in titled if not _is_too_small(one, run)]
        case.settle(
            fitting, "own", f"title: {len(pids)} titled like the engine for {needed or 'an unknown number of'} GPUs; {why}"
        )
        rest = [one for one in titled if one not in fitting]
        case.settle(rest, "unknown", "title: titled like the engine, but it holds less than the run's weights")
        return
    fitting = [one for one in titled if _fits(one, run)]
    if needed and len(_pids_of(fitting)) == needed:
        case.settle(fitting, "own", f"title: of {len(pids)} titled like the engine the one whose memory fits the log; {why}")
        rest = [one for one in titled if one not in fitting]
        case.settle(rest, "foreign", f"title: one more than the {needed} that the run needs, and its memory does not fit the log")
        return
    reason = f"title: {len(pids)} processes are titled like the engine, {needed or 'fewer'} can be the run's; which is open"
    case.settle(titled, "unknown", reason)


def _ranks(titled: Sequence[Tenant]) -> int:
    """How many of the titled can be of one run where its size is not known: one for each rank, or the only one."""
    return max(1, len({rank for one in titled if (rank := rank_of(one.get("name")))}))


def _gib(one: Tenant) -> float | None:
    mib = one.get("mib")
    return mib / _MIB_PER_GIB if isinstance(mib, int | float) else None


def _is_too_small(one: Tenant, run: Run) -> bool:
    held = _gib(one)
    return held is not None and run.weights is not None and run.engine not in ONE_PROCESS and held < 0.8 * run.weights


def _fits(one: Tenant, run: Run) -> bool:
    """Whether a process holds what the log says that one of the run's must hold, graphs and activations beside it."""
    held, share = _gib(one), run.own_share
    return held is not None and share is not None and 0.9 * share <= held <= 1.25 * share + 3.0


def _other_engines(case: _Case) -> None:
    """A server of another engine is nobody's helper."""
    others = [one for one in case.open if is_engine(one.get("name")) and not is_titled(one.get("name"), case.run.engine)]
    case.settle(others, "foreign", lambda one: f"title: {one.get('name')} is another engine than {case.run.engine}")


def _by_accounting(case: _Case) -> None:
    """A program beside the run's processes is a stranger's; an interpreter only once all of the run's are found."""
    by_id = any(str(one.get("reason")).startswith("pid:") for one in case.own)
    full = len(_pids_of(case.own)) >= 1 if case.run.engine in ONE_PROCESS else _is_full(case)
    if not case.own or not (by_id or full):
        return
    how = (
        "pid: the log, of the same host, does not name process {pid}"
        if by_id
        else "title: the run's processes are all found without {pid}"
    )
    for one in case.open:
        if str(one.get("reason") or "").startswith("title:"):
            continue
        helper = is_interpreter(one.get("name")) and (one.get("mib") is None or one["mib"] < _HELPER_MIB)
        if (full and (by_id or not helper)) or not is_interpreter(one.get("name")):
            case.settle([one], "foreign", how.format(pid=one.get("pid")))


def _by_memory_at_start(case: _Case) -> None:
    """Who holds what was taken before the engine loaded anything was there before it."""
    taken = case.run.taken_at_start
    if taken is None or taken < _TAKEN_GIB:
        return
    for one in case.open:
        held = _gib(one)
        if held is not None and abs(held - taken) <= max(1.0, _NEAR * taken):
            case.settle(
                [one], "foreign", f"memory at start: {taken:.1f} GiB were taken when the engine came up, and it holds {held:.1f}"
            )


def _by_expected_use(case: _Case) -> None:
    """Interpreters without a title, as many as the run needs, each holding what the log says that it must."""
    run = case.run
    if case.own:
        return
    fitting = [one for one in case.open if is_interpreter(one.get("name")) and _fits(one, run)]
    if run.processes is not None and len(_pids_of(fitting)) == run.processes:
        share = run.own_share or 0.0
        case.settle(fitting, "own", f"expected use: the run must hold {share:.1f} GiB per GPU, and no other process holds it")
        _by_accounting(case)
