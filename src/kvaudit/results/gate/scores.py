"""Accuracy of two arms where runs are at hand: item by item if each arm is one run that lists its answers, else by totals.

Room: `results`. Totals are taken as two independent samples, which overstates the error on the same questions: the answer is
cautious. Two standard errors are a rule for many questions, so fewer than thirty decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from kvaudit.parsers.results.run import Run
from kvaudit.results.gate.accuracy import Shares, arm_of, decide_accuracy, decided, undecided
from kvaudit.results.gate.measurements import measurement
from kvaudit.results.gate.model import Gate

MINIMUM_QUESTIONS = 30
NO_ITEMS = "Answers item by item are not given: the two shares are taken as independent, which overstates their error."


def standard_error(share: float, questions: int) -> float:
    """Of a share of right answers, as a share: 0.895 of 276 questions has 0.0185."""
    return sqrt(share * (1 - share) / questions)


def decide_scores(a: Sequence[Run], b: Sequence[Run]) -> Gate:
    """The gate over runs with a score: a share, or percent. Rows with `item` and `correct` are answers item by item."""
    scored = [[run for run in runs if run.number("score") is not None] for runs in (a, b)]
    counts = (len(scored[0]), len(scored[1]))
    missing = [f"No run of arm {name} has a score." for name, runs in zip("AB", scored, strict=True) if not runs]
    if missing:
        return undecided(counts, missing)
    held = [{_dataset(run) for run in runs} for runs in scored]
    if len(held[0] & held[1]) != 1:
        return undecided(counts, [_datasets(held)])
    (dataset,) = held[0] & held[1]
    scored = [[run for run in runs if _dataset(run) == dataset] for runs in scored]
    items = [_items(runs) for runs in scored]
    if items[0] and items[1]:
        return decide_accuracy(items[0], items[1])
    scale = _scale([run.number("score") or 0.0 for runs in scored for run in runs])
    if scale is None:
        return undecided(counts, ["The scores are not all shares, nor all percent: a test for shares does not apply."])
    return _by_totals(scored, scale)


def _by_totals(scored: list[list[Run]], scale: float) -> Gate:
    arms = [
        arm_of([one.model_copy(update={"value": scale * one.value}) for run in runs if (one := measurement(run, "score"))])
        for runs in scored
    ]
    questions = [_questions(runs) for runs in scored]
    if questions[0] is None or questions[1] is None:
        counts = (len(scored[0]), len(scored[1]))
        return undecided(counts, ["The number of questions is not in the files, or differs between the runs of an arm."], arms)
    n = (questions[0], questions[1])
    if min(n) < MINIMUM_QUESTIONS:
        return undecided(n, [f"{min(n)} questions: below {MINIMUM_QUESTIONS} two totals decide nothing."], arms)
    errors = [standard_error((arm.mean or 0.0) / 100, number) for arm, number in zip(arms, n, strict=True)]
    return decided(Shares(arms, n, 100 * sqrt(errors[0] ** 2 + errors[1] ** 2), missing=[NO_ITEMS]))


def _scale(values: Sequence[float]) -> float | None:
    """What turns the scores into percent; None where they are of two scales, or of none."""
    if all(0 <= value <= 1 for value in values):
        return 100.0
    return 1.0 if all(1 < value <= 100 for value in values) else None


def _dataset(run: Run) -> str:
    held = run.values.get("dataset")
    return "unnamed" if held is None else str(held.value)


def _datasets(held: Sequence[set[str]]) -> str:
    names = [", ".join(sorted(one)) for one in held]
    if held[0] & held[1]:
        return f"The arms share several datasets, {', '.join(sorted(held[0] & held[1]))}: give the files of one at a time."
    return f"The scores are of different datasets: {names[0]} on arm A, {names[1]} on arm B."


def _questions(runs: Sequence[Run]) -> int | None:
    """The number of questions, the same in every run of an arm."""
    numbers = {run.number("score_items") for run in runs}
    number = numbers.pop()
    return int(number) if number is not None and number >= 1 and not numbers else None


def _items(runs: Sequence[Run]) -> dict[str, bool]:
    """Answers of an arm that is one run; empty where it is several, or where a row is incomplete or double."""
    rows = runs[0].requests if len(runs) == 1 else []
    answers = {str(row["item"]): row["correct"] for row in rows if "item" in row and isinstance(row.get("correct"), bool)}
    return answers if len(answers) == len(rows) else {}
