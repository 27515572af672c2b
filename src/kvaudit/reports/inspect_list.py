"""Many checkpoints, one line each: weights, KV statement, scales, bytes per token, and whether something does not agree.

Room: `reports`, plain lines for `inspect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kvaudit.reports.text.layout import line, side_by_side, wrapped
from kvaudit.reports.values import counted, short_digest, shorten, value_of

if TYPE_CHECKING:
    from rich.text import Text

    from kvaudit.record.inspection.model import ModelInspection

_HEADS = ("B/token", "KV stated", "scales", "weights", "model")
_WIDEST = 22


def listing(models: Sequence[ModelInspection], width: int) -> list[Text]:
    """The table with a heading; names stand last and are never cut. Below it what could not be read."""
    good = [model for model in models if model.error is None]
    rows = [_cells(model) for model in good]
    common = _common([model.label for model in good])
    widths = [min(_WIDEST, max([len(head), *(len(row[index]) for row in rows)])) for index, head in enumerate(_HEADS[:-1])]
    out = [_row(list(_HEADS[:-1]), "", _HEADS[-1], widths)] if good else []
    for model, cells in zip(good, rows, strict=True):
        out.append(_row(cells, "!" if model.contradictions else "", _name(model, common), widths))
    out += [line((f"{model.label}: {model.error}", "red")) for model in models if model.error]
    return [*out, line(""), *wrapped(line((_legend(models, common), "dim")), width)]


def _row(cells: list[str], mark: str, name: str, widths: list[int]) -> Text:
    """One line: the first cell, a figure, stands to the right of its column."""
    first = line(f"{cells[0]:>{widths[0]}}")
    columns = [
        ([first], widths[0]),
        *(([line(shorten(cell, size))], size) for cell, size in zip(cells[1:], widths[1:], strict=True)),
    ]
    return side_by_side([*columns, ([line((mark, "yellow"))], 1), ([line(name)], len(name))])[0]


def _name(model: ModelInspection, common: str) -> str:
    if model.repository:
        return f"{model.repository} @ {short_digest(model.revision or '')}"
    return model.label.removeprefix(common) or model.label


def _cells(model: ModelInspection) -> list[str]:
    weights = model.identity.get("model.weight_format") or model.identity.get("model.quantization")
    shown = value_of("model.weight_format", weights.value, weights.state) if weights else "unknown"
    scheme = value_of("kv_cache.scheme", model.scheme.value, model.scheme.state) if model.scheme else "unknown"
    scales = (model.scales.value or "unknown") if model.scales else "unknown"
    sizes = model.cache.bytes_per_token if model.cache else {}
    first = next(iter(sizes.values()), None)
    dtype = model.identity.get("model.dtype")
    unquantized = dtype.value if dtype and shown == "none" and dtype.value else shown
    return [f"{first:,.0f}" if first is not None else "unknown", scheme, scales, str(unquantized)]


def _common(labels: Sequence[str]) -> str:
    """The folder that all labels share, with its slash."""
    folders = [label.split("/")[:-1] for label in labels]
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared) + "/" if len(labels) > 1 and shared else ""


def _legend(models: Sequence[ModelInspection], common: str) -> str:
    odd = sum(bool(model.contradictions) for model in models)
    where = f" in {common.rstrip('/')}" if common else ""
    said = f"{counted(len(models), 'checkpoint')}{where}; B/token: 16-bit KV of one rank, states not counted"
    return f"{said}; ! {odd} with contradictions, shown by `kvaudit inspect` on the one" if odd else said
