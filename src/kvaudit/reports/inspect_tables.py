"""The tables of an inspection: bytes per token, engines by release, links.

Room: `reports`, lines for `inspect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kvaudit.record.inspection.engines import ENGINES, releases
from kvaudit.reports.text.layout import GAP, indented, line, row, side_by_side, wrapped
from kvaudit.reports.values import written

if TYPE_CHECKING:
    from rich.text import Text

    from kvaudit.record.inspection.model import CacheReport, EngineRow, LayerGroup, Transfer

_ENGINE, _RELEASES, _DTYPE, _LOG = 12, 22, 11, 12
_KIB = 1024
_MILLI = 1000.0


def bytes_table(cache: CacheReport, width: int) -> list[Text]:
    """A line for each kind of layer and one for all, a column for each element type."""
    dtypes = list(dict.fromkeys(dtype for group in cache.groups for dtype in group.bytes_per_token))
    names = [_layers(group) for group in cache.groups]
    several = len([group for group in cache.groups if group.bytes_per_token]) > 1
    first = min(max(len(name) for name in [*names, "all layers"]), max(12, width - 14 * len(dtypes) - 2))
    column = 12
    out = [_figures("", dtypes, first, column, "dim")]
    stateful = [(name, group) for name, group in zip(names, cache.groups, strict=True) if not group.bytes_per_token]
    states = [line((f"{name}: {_state(group)}", "dim")) for name, group in stateful]
    for name, group in zip(names, cache.groups, strict=True):
        if group.bytes_per_token:
            out.append(_figures(name, [_size(group.bytes_per_token.get(one), group.layers) for one in dtypes], first, column))
    if several:
        out.append(_figures("all layers", [_size(cache.bytes_per_token.get(one)) for one in dtypes], first, column, "bold"))
    kib = [f"{size / _KIB:,.4g} KiB" if (size := cache.bytes_per_token.get(one)) else "" for one in dtypes]
    out.append(_figures("", kib, first, column, "dim"))
    return indented([*out, *(one for text in states for one in wrapped(text, width - 2))], 2)


def _layers(group: LayerGroup) -> str:
    window = f" of {group.window:,}" if group.window else ""
    return f"{group.layers} × {group.kind}{window}"


def _size(size: float | None, layers: int = 1) -> str:
    return "not known" if size is None else f"{size * layers:,.0f}"


def _state(group: LayerGroup) -> str:
    if group.state_bytes is None:
        return "a state a layer and sequence, of a size that is not known"
    return f"{group.state_bytes:,} bytes a layer and sequence, whatever its length"


def _figures(name: str, cells: Sequence[str], first: int, column: int, style: str = "") -> Text:
    columns = [([line((name, style))], first)]
    columns += [([line((f"{cell:>{column}}", style))], column) for cell in cells]
    return side_by_side(columns)[0]


def engine_table(rows: Sequence[EngineRow], width: int) -> list[Text]:
    """Engine, releases, element type, and whether the log tells."""
    widths = (_ENGINE, _RELEASES, _DTYPE, max(_LOG, width - _ENGINE - _RELEASES - _DTYPE - 3 * GAP - 2))
    heads = ("engine", "releases", "KV cache", "in its log?")
    out = row([(line((head, "dim")), size) for head, size in zip(heads, widths, strict=True)])
    last = ""
    for one in rows:
        name = ENGINES.get(one.engine, one.engine) if one.engine != last else ""
        last = one.engine
        narrow = one.shown is False and one.kv_dtype is not None and one.kv_dtype.startswith(("fp8", "nvfp4"))
        style = "bold yellow" if narrow else "bold" if one.kv_dtype else "dim"
        cells = (line(name), line(releases(one)), line((one.kv_dtype or "not known", style)), line(_log(one)))
        out += row(list(zip(cells, widths, strict=True)))
    return indented(out, 2)


def _log(one: EngineRow) -> str:
    if one.kv_dtype is None:
        return one.source
    said = "yes" if one.shown else "no"
    return f"{said}; beats an explicit 16-bit flag" if one.beats_flag else said


def transfer_table(found: Transfer, width: int) -> list[Text]:
    """A line for each link and element type."""
    widths = (14, 10, 12, 12, max(12, min(30, width - 14 - 10 - 12 - 12 - 4 * GAP - 2)))
    share = "share of prefill" if found.prefill_tokens_per_second else ""
    out = row([(line((head, "dim")), size) for head, size in zip(("link", "KV", "size", "time", share), widths, strict=True)])
    for one in found.rows:
        link = one.link if one.links == 1 else f"{one.links} × {one.link}"
        time = f"{one.seconds * _MILLI:,.1f} ms" if one.seconds < 1 else f"{one.seconds:,.3g} s"
        part = f"{one.share_of_prefill:.1%}" if one.share_of_prefill is not None else ""
        cells = (link, one.kv_dtype, f"{written(round(one.bytes / 1e9, 2))} GB", time, part)
        out += row([(line(cell), size) for cell, size in zip(cells, widths, strict=True)])
    return indented(out, 2)
