"""Formulas over the figures of a run, written as text: names of quantities, numbers, `+ - * /` and brackets.

Room: `results`. The text is parsed here and never run as code; a figure that the run does not have makes the whole unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from kvaudit.parsers.results.run import Run
from kvaudit.patterns import LatePattern

_TOKEN = LatePattern(r"\s*(?:([0-9]+(?:\.[0-9]+)?)|([a-z][a-z0-9_]*(?:\.[a-z0-9.]*[a-z0-9])?)|([-+*/()]))")
_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_LEVELS = ("+-", "*/")

Tree = tuple[Any, ...]
"""`("number", 2.0)`, `("name", "duration")` or `("*", left, right)`."""


def value_of(formula: str, run: Run) -> float | None:
    """The value of a formula on a run; None where a figure is missing, or where it divides by nothing."""
    try:
        return _value(parsed(formula), run)
    except (ZeroDivisionError, OverflowError):
        return None


def names_in(formula: str) -> tuple[str, ...]:
    """The quantities that a formula reads, in order."""
    return tuple(dict.fromkeys(_names(parsed(formula))))


def shown(formula: str) -> str:
    """The formula as people read it."""
    return formula.replace(" * ", " × ").replace(" / ", " ÷ ").replace(" - ", " − ")


@cache
def parsed(formula: str) -> Tree:
    """The tree of a formula. Raises `ValueError` for a text that is none."""
    tokens = _tokens(formula)
    tree = _level(tokens, 0)
    if tokens:
        raise ValueError(f"{formula!r}: left over at {tokens[0]!r}")
    return tree


def _tokens(formula: str) -> list[str]:
    tokens, at = [], 0
    while at < len(formula.rstrip()):
        match = _TOKEN.match(formula, at)
        if match is None:
            raise ValueError(f"{formula!r}: not understood from {formula[at:]!r} on")
        tokens.append(next(group for group in match.groups() if group))
        at = match.end()
    return tokens


def _level(tokens: list[str], depth: int) -> Tree:
    if depth == len(_LEVELS):
        return _atom(tokens)
    tree = _level(tokens, depth + 1)
    while tokens and tokens[0] in _LEVELS[depth]:
        sign = tokens.pop(0)
        tree = (sign, tree, _level(tokens, depth + 1))
    return tree


def _atom(tokens: list[str]) -> Tree:
    if not tokens:
        raise ValueError("a formula ends too early")
    part = tokens.pop(0)
    if part == "(":
        tree = _level(tokens, 0)
        if not tokens or tokens.pop(0) != ")":
            raise ValueError("a bracket is not closed")
        return tree
    return ("number", float(part)) if part[0].isdigit() else ("name", part)


def _value(tree: Tree, run: Run) -> float | None:
    kind, *parts = tree
    if kind == "number":
        return float(parts[0])
    if kind == "name":
        return run.number(parts[0])
    left, right = (_value(part, run) for part in parts)
    return None if left is None or right is None else _OPERATORS[kind](left, right)


def _names(tree: Tree) -> list[str]:
    kind, *parts = tree
    if kind == "name":
        return [parts[0]]
    return [] if kind == "number" else [name for part in parts for name in _names(part)]
