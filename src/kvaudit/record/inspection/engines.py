"""What each engine makes of a checkpoint under `auto`, release by release, from the tables in `rules/engines`.

Room: `record`, inspection. The behaviour is data; which file an engine reads first is here, because it takes both files to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from packaging.version import Version

from kvaudit.record.engine_table import engine_table, is_model_driven, row_of
from kvaudit.record.inspection.model import EngineRow

ENGINES: dict[str, str] = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt_llm": "TensorRT-LLM",
    "llama_cpp": "llama.cpp",
}
"""Engines with a table, in the order they are shown, and their names for people."""

_CONFIG, _FILE = "config.json", "hf_quant_config.json"
_FILE_FIRST = frozenset({"tensorrt_llm"})
_FALLS_THROUGH_SINCE = {"sglang": "0.5.19"}
"""SGLang reads the file beside a mixed-precision block that says nothing about KV."""

_SILENT_SINCE = "0.17"
_NOT_READ = "these releases were not read"


@dataclass(frozen=True, slots=True)
class Reads:
    """The statement that an engine reads, in the releases from `since` to before `until`."""

    statement: dict[str, Any]
    since: str | None = None
    until: str | None = None


def engine_rows(
    statements: Sequence[dict[str, Any]], config: dict[str, Any], dtype: str | None, *, whole: bool = False
) -> list[EngineRow]:
    """The behaviour of every engine that a table knows, in order of their releases.

    `statements` are the blocks of all files, `config` is the clue of config.json, `dtype` the model's own. `whole` says that no
    file of the checkpoint can be missing.
    """
    if not statements:
        return []
    rows: list[EngineRow] = []
    for engine in ENGINES:
        if is_model_driven(engine, config.get("architecture")):
            rows.append(_open(engine, "this architecture brings its own KV layout; only a worker's line settles it"))
        else:
            rows += _merged([row for reads in _order(engine, statements, config) for row in _of_statement(engine, reads, dtype)])
            if whole and engine in _FILE_FIRST:
                rows = _without_statement(rows, engine, statements, dtype)
    return rows


def newest_value(rows: Sequence[EngineRow], engine: str) -> EngineRow | None:
    """The row of the engine's newest releases."""
    return next((row for row in reversed(rows) if row.engine == engine and row.until is None), None)


def _order(engine: str, statements: Sequence[dict[str, Any]], config: dict[str, Any]) -> list[Reads]:
    """Which statement counts. vLLM and SGLang take config.json's block, and the file only where it has none."""
    latent = {"mla": config.get("kv_lora_rank") is not None}
    by_file = {str(one.get("file")): {**one, **latent} for one in reversed(statements)}
    block, file = by_file.get(_CONFIG), by_file.get(_FILE)
    others = [one for name, one in by_file.items() if name not in (_CONFIG, _FILE)]
    block_counts = block and block.get("has_block") and not (file and engine in _FILE_FIRST)
    first = block if block_counts else file or block
    if first is None:
        return [Reads(others[0])] if others else []
    since = _FALLS_THROUGH_SINCE.get(engine)
    if since and first is block and file and block.get("kv") == "none" and _is_mixed(block):
        return [Reads(block, until=since), Reads(file, since=since)]
    return [Reads(first)]


def _is_mixed(block: dict[str, Any]) -> bool:
    return block.get("method") == "modelopt_mixed" or block.get("quant_algo") == "MIXED_PRECISION"


def _of_statement(engine: str, reads: Reads, dtype: str | None) -> list[EngineRow]:
    row = row_of(engine, reads.statement)
    if row is None:
        if engine == "llama_cpp" or reads.statement.get("method") == "gguf":
            return []
        return [_open(engine, "no row of the table speaks of this statement", reads)]
    found: list[EngineRow] = []
    reached = reads.since
    for result in row["results"]:
        since, until = _later(result.get("since"), reads.since), _earlier(result.get("until"), reads.until)
        if since and until and Version(since) >= Version(until):
            continue
        if since != reached:
            found.append(_open(engine, _NOT_READ, Reads(reads.statement, reached, since)))
        found.append(_row(engine, row, result, Reads(reads.statement, since, until), dtype))
        reached = until
    if reached != reads.until:
        found.append(_open(engine, _NOT_READ, Reads(reads.statement, reached, reads.until)))
    return found


def _without_statement(
    rows: list[EngineRow], engine: str, statements: Sequence[dict[str, Any]], dtype: str | None
) -> list[EngineRow]:
    """Where no file of the whole checkpoint says anything of KV, an engine that looks at all of them keeps the model's dtype."""
    if any(one.get("kv") != "none" for one in statements) or not any(row.engine == engine and row.row is None for row in rows):
        return rows
    silent = _open(engine, "no file of the checkpoint says anything of KV, so kv_cache_quant_algo stays None")
    silent = replace(silent, since=_SILENT_SINCE, kv_dtype=dtype or "model", shown=False)
    return [*(row for row in rows if row.engine != engine), _open(engine, _NOT_READ, Reads({}, None, _SILENT_SINCE)), silent]


def _row(engine: str, row: dict[str, Any], result: dict[str, Any], reads: Reads, dtype: str | None) -> EngineRow:
    value = str(result["value"])
    return EngineRow(
        engine=engine,
        since=reads.since,
        until=reads.until,
        kv_dtype=None if value == "unknown" else (dtype or "model") if value == "model" else value,
        shown=bool(result["shown"]),
        beats_flag=bool(result.get("beats_flag")),
        row=str(row["id"]),
        source=str(row["source"]),
        file=str(reads.statement.get("file") or "") or None,
    )


def _open(engine: str, why: str, reads: Reads | None = None) -> EngineRow:
    since, until = (reads.since, reads.until) if reads else (None, None)
    return EngineRow(
        engine=engine, since=since, until=until, kv_dtype=None, shown=None, beats_flag=False, row=None, source=why, file=None
    )


def _merged(rows: list[EngineRow]) -> list[EngineRow]:
    """Neighbours that say the same as one row."""
    out: list[EngineRow] = []
    for row in rows:
        last = out[-1] if out else None
        if last and last.until == row.since and _said(last) == _said(row):
            out[-1] = replace(last, until=row.until)
        else:
            out.append(row)
    return out


def _said(row: EngineRow) -> tuple[object, ...]:
    return row.kv_dtype, row.shown, row.beats_flag, row.file, row.row


def _later(one: str | None, other: str | None) -> str | None:
    return max((text for text in (one, other) if text), key=Version, default=None)


def _earlier(one: str | None, other: str | None) -> str | None:
    return min((text for text in (one, other) if text), key=Version, default=None)


def newest_read(engine: str) -> str:
    """The newest release whose source the table was read from."""
    return str(engine_table(engine).get("newest", ""))


def releases(row: EngineRow) -> str:
    """`before 0.15`, `0.15 to before 0.22`, `0.22 and newer`, `every release`."""
    build = "build " if row.engine == "llama_cpp" else ""
    if row.since and row.until:
        return f"{build}{row.since} to before {row.until}"
    if row.since:
        return f"{build}{row.since} and newer"
    return f"before {build}{row.until}" if row.until else "every release"
