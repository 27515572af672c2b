"""Hostile input in bulk: seeded mutants of every format through every command and format, in child processes with limits.

Usage: python -m benchmarks.fuzz [--inputs N] [--first N] [--workers N] [--keep FOLDER] [--json PATH]
       python -m benchmarks.fuzz --only N        one input again, with its traceback

An input is a number: it chooses a document (tests/fuzz/seeds.py), its mutations (tests/fuzz/mutations.py) and what is written
about it, always the same for a checkout. Wrong is: any exception but the errors for users; an output that is not well formed, or
holds a control character, a runner command, markup or the planted secret (tests/fuzz/outputs.py); more than 300 MiB of memory or
20 seconds. Prints a table and the slowest inputs. Exit code 1: something was wrong. Nothing of a collection is read.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

from tests.fuzz.examining import examine, prepare
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import Seed, seeds

BATCH = 100
"""Inputs per child, so that memory is that of few inputs."""

MOST_MIB, MOST_SECONDS = 300, 20
_SHARE_OF_KINDS = 0.5
"""Half of the inputs begin with a kind, so that the few documents of rare kinds get their share; logs are most of all."""
_ADDRESS_SPACE = 2 << 30
"""A child that asks for more gets a MemoryError: the machine is never at risk."""


@dataclass(slots=True)
class Outcome:
    """One input: what became of it, processor time in seconds, the child's peak memory in MiB so far, what was wrong."""

    number: int
    name: str
    size: int
    refused: bool
    seconds: float
    mib: int
    faults: list[str]


class _TooSlowError(Exception):
    """The input took more than its time."""


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise _TooSlowError(f"more than {MOST_SECONDS} s of processor time")


@cache
def _by_ending() -> dict[str, list[Seed]]:
    found: dict[str, list[Seed]] = {}
    for seed in seeds():
        found.setdefault(Path(seed.name).suffix, []).append(seed)
    return found


def mutant(number: int) -> tuple[str, bytes, Random]:
    """Name and bytes of an input, and the chance that goes on with its examination."""
    chance = Random(number)  # noqa: S311 - reproducible, no secret
    of_kind = chance.choice(list(_by_ending().values())) if chance.random() < _SHARE_OF_KINDS else seeds()
    seed, other = chance.choice(of_kind), chance.choice(seeds())
    return seed.name, mutated(seed.data, other.data, chance), chance


def outcome_of(number: int, folder: Path, keep: Path | None = None) -> Outcome:
    """Examine one input."""
    name, data, chance = mutant(number)
    path = folder / name
    path.write_bytes(data)
    started, refused = time.process_time(), False
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        examined = examine(str(path), chance, formats=1)
        refused, faults = examined.refused, list(examined.faults)
    except Exception as error:
        faults = [_told(error)]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        path.unlink()
    if faults and keep:
        (keep / f"{number}-{name}").write_bytes(data)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Outcome(number, name, len(data), refused, round(time.process_time() - started, 3), peak, faults)


def _told(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if "kvaudit" in frame.filename), frames[-1])
    return f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {str(error)[:120]}"


def _child(numbers: Iterable[int], results: Path, keep: Path | None) -> None:
    """The life of one child: every outcome is written as soon as it is there."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    signal.signal(signal.SIGPROF, _give_up)
    with tempfile.TemporaryDirectory() as folder, results.open("w", encoding="utf-8") as stream:
        for number in numbers:
            stream.write(json.dumps(asdict(outcome_of(number, Path(folder), keep))) + "\n")
            stream.flush()


def run(numbers: range, workers: int, keep: Path | None) -> Iterator[Outcome]:
    """The outcomes of all inputs, from forked children; a child that dies is an outcome of the input it died of."""
    prepare()
    seeds()
    batches = [numbers[start : start + BATCH] for start in range(0, len(numbers), BATCH)]
    with tempfile.TemporaryDirectory() as folder:
        running: dict[int, tuple[range, Path]] = {}
        while batches or running:
            while batches and len(running) < workers:
                batch = batches.pop(0)
                results = Path(folder) / f"{batch.start}.jsonl"
                running[_forked(batch, results, keep)] = (batch, results)
            pid, status = os.wait()
            batch, results = running.pop(pid)
            outcomes = [Outcome(**json.loads(line)) for line in results.read_text(encoding="utf-8").splitlines()]
            results.unlink()
            yield from outcomes
            if len(outcomes) < len(batch):
                died = batch[len(outcomes)]
                yield Outcome(died, "(not known)", 0, False, 0.0, 0, [f"the process died with status {status}"])
                batches.insert(0, batch[len(outcomes) + 1 :])


def _forked(batch: range, results: Path, keep: Path | None) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _child(batch, results, keep)
        code = 0
    finally:
        os._exit(code)


def _row(kind: str, outcomes: list[Outcome]) -> str:
    slowest = max(one.seconds for one in outcomes)
    mean = sum(one.seconds for one in outcomes) / len(outcomes)
    wrong = sum(bool(one.faults) for one in outcomes)
    refused = sum(one.refused for one in outcomes)
    peak = max(one.mib for one in outcomes)
    return f"| {kind} | {len(outcomes):,} | {refused:,} | {mean:.2f} | {slowest:.2f} | {peak} | {wrong} |"


def table(outcomes: list[Outcome]) -> str:
    """The Markdown table: a row for each suffix of names, and the sum."""
    kinds: dict[str, list[Outcome]] = {}
    for one in outcomes:
        kinds.setdefault(Path(one.name).suffix or one.name, []).append(one)
    rows = [_row(kind, held) for kind, held in sorted(kinds.items(), key=lambda item: -len(item[1]))]
    head = ["| documents | inputs | refused | mean s | slowest s | peak MiB | wrong |", "|---|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows, _row("**all**", outcomes)])


def _lines(outcomes: list[Outcome]) -> Iterator[str]:
    yield table(outcomes)
    yield "\nslowest:"
    for one in sorted(outcomes, key=lambda one: -one.seconds)[:5]:
        yield f"  {one.number}: {one.name}, {one.size:,} bytes, {one.seconds} s"
    for text, count in Counter(fault for one in outcomes for fault in one.faults[:1]).most_common(30):
        first = next(one.number for one in outcomes if one.faults[:1] == [text])
        yield f"  {count} × {text} (first: {first})"
    if large := [one for one in outcomes if one.mib > MOST_MIB]:
        yield f"  more than {MOST_MIB} MiB: first {large[0].number}"


def _is_wrong(one: Outcome) -> bool:
    return bool(one.faults) or one.mib > MOST_MIB


def _once(number: int) -> int:
    """One input without limits; an exception is shown whole."""
    name, data, chance = mutant(number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        examined = examine(str(path), chance, formats=1)
    said = [f"{name}, {len(data):,} bytes, {'refused' if examined.refused else 'read'}", *examined.faults]
    sys.stdout.write("\n  ".join(said) + "\n")
    return int(bool(examined.faults))


def _save(outcomes: list[Outcome], path: Path | None) -> None:
    if path:
        path.write_text(json.dumps([asdict(one) for one in outcomes]), encoding="utf-8")


def main() -> int:
    """Run the inputs that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="a folder for the inputs of which something was wrong")
    parser.add_argument("--json", type=Path, help="all outcomes as JSON")
    parser.add_argument("--only", type=int, help="one input again")
    given = parser.parse_args()
    if given.only is not None:
        return _once(given.only)
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    outcomes = []
    with suppress(KeyboardInterrupt):  # what there is until then is reported
        for one in run(range(given.first, given.first + given.inputs), given.workers, given.keep):
            outcomes.append(one)
            if len(outcomes) % 1_000 == 0 or len(outcomes) == given.inputs:
                sys.stderr.write(f"{len(outcomes):,} inputs\n")
                _save(outcomes, given.json)
    sys.stdout.write("\n".join(_lines(outcomes)) + "\n")
    return int(any(map(_is_wrong, outcomes)))


if __name__ == "__main__":
    sys.exit(main())
