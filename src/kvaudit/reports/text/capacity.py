"""Why the token capacities differ, as one product and one sum.

Room: `reports/text`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kvaudit.audit.report import Capacity, Report
from kvaudit.reports.text.layout import PROSE, hang, heading, line
from kvaudit.reports.values import times, written

if TYPE_CHECKING:
    from rich.text import Text

_EXPLAINED = 0.0005
_WORTH_TELLING = 0.05


def capacity(report: Report, width: int) -> list[Text]:
    """The capacity section; empty where the capacities are not both known."""
    held = report.capacity
    if held is None or len(report.arms) != 2:
        return []
    width = min(width, PROSE)
    left, right = (written(record.value("kv_cache.tokens"), "tokens").removesuffix(" tokens") for record in report.arms)
    out = [heading("Capacity")]
    out += hang("  ", line("b holds ", (times(held.ratio), "bold"), f" times the tokens of a: {right} against {left}"), width)
    out += hang("  ", line(product(held)), width)
    if abs(sum(part.gib for part in held.memory_parts)) >= _WORTH_TELLING:
        out += hang("  ", line(total(held)), width)
    return out


def product(held: Capacity) -> str:
    """`1.775 = 2.000 (bytes per token) × 0.888 (KV memory)`, and what the factors leave."""
    if not held.factors:
        return "not decomposed: KV memory or bytes per token is not known on both arms"
    said = " × ".join(f"{times(factor.ratio)} ({factor.name})" for factor in held.factors)
    rest = "" if abs(held.residual - 1) < _EXPLAINED else f" × {times(held.residual)} (unexplained)"
    return f"{times(held.ratio)} = {said}{rest}"


def total(held: Capacity) -> str:
    """What moved the KV memory, as a sum in GiB per rank."""
    moved = sum(part.gib for part in held.memory_parts)
    parts = ", ".join(f"{part.name} {part.gib:+.2f}" for part in held.memory_parts)
    return f"KV memory per rank, b minus a: {moved:+.2f} GiB = {parts}"
