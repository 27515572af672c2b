"""Predicted against printed KV capacity of vLLM, for every start of a collection whose model has a shape at hand.

Usage: KVAUDIT_CORPUS=FOLDER python -m benchmarks.capacity [--json PATH] [--brief]

FOLDER holds logs (vllm_log, runs, real_runs/vllm_cpu) and checkpoint files (ckpt_config, NAME.config.json beside NAME.log).
capacity.yaml beside this script says which shape belongs to which model. The element width is the one that the log alone proves;
where it proves none, the one that the whole-blocks test allows, marked `test`. Nothing is fitted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from kvaudit.errors import KvauditError
from kvaudit.parsers.checkpoint.geometry import geometry
from kvaudit.parsers.checkpoint.shape import decoder_of
from kvaudit.record.build import Options, read_arm
from kvaudit.record.kv_dtype.ladder import bits
from kvaudit.record.model import Record
from kvaudit.record.simulation.capacity import Prediction, needed_bytes, simulate
from kvaudit.record.simulation.gather import setup_of
from kvaudit.record.simulation.proof import fits_capacity
from kvaudit.record.simulation.releases import candidates
from kvaudit.record.simulation.setup import GIB, NVFP4, Setup, UnpredictableError
from kvaudit.redaction import Redactor

VARIABLE = "KVAUDIT_CORPUS"
TABLE = Path(__file__).with_suffix(".yaml")
FOLDERS = ("vllm_log", "real_runs/vllm_cpu", "runs")
WIDTHS = (4.0, 2.0, 1.0, NVFP4)


@dataclass(frozen=True)
class Row:
    """One start: what it printed, what is predicted, or why nothing is."""

    log: str
    version: str | None
    model: str | None
    name: str
    tensor: int | None
    gib: float
    printed: int
    width: float | None = None
    width_from: str = ""
    predicted: int | None = None
    exact: bool = False
    """A whole number of blocks within the rounding of the printed memory gives the printed tokens."""
    wrong_widths: int = 0
    """Other element widths that pass the same test: they must not."""
    shape: str = ""
    why: str = ""

    @property
    def error(self) -> float | None:
        """Predicted ÷ printed − 1, in percent."""
        return None if self.predicted is None else 100 * (self.predicted / self.printed - 1)


@dataclass(frozen=True)
class Need:
    """A failed start: the GiB that one request of full length needs, as printed and as each width would need."""

    name: str
    version: str | None
    printed: float
    sixteen: float
    eight: float


class Arm:
    """A record whose facts are completed by what the table knows of the run."""

    def __init__(self, record: Record, entry: dict[str, Any]) -> None:
        self._record = record
        self._told: dict[str, Any] = {}
        if "batched_tokens" in entry and record.value("scheduler.max_num_batched_tokens") is None:
            self._told["scheduler.max_num_batched_tokens"] = entry["batched_tokens"]
        if "draft_layers" in entry:
            self._told["speculative.method"] = "none"

    def value(self, name: str) -> Any:
        """The value of a field."""
        return self._told.get(name, self._record.value(name))

    def clue(self, name: str) -> Any:
        """The value of a clue."""
        return self._record.clue(name)


def rows(corpus: Path) -> tuple[list[Row], list[Need]]:
    """One row for every distinct start of the collection that printed memory and tokens, and one for every stated need."""
    table = yaml.safe_load(TABLE.read_text(encoding="utf-8"))["models"]
    found: dict[tuple[Any, ...], Row] = {}
    needs: dict[tuple[Any, ...], Need] = {}
    for path, record in _starts(corpus):
        gib, printed = record.value("kv_cache.memory_gib"), record.value("kv_cache.tokens")
        if isinstance(gib, int | float) and isinstance(printed, int) and gib > 0:
            row = _row(corpus, path, record, table)
            found.setdefault((row.version, row.model, row.tensor, gib, printed, record.value("model.max_len")), row)
        if (need := _need(corpus, path, record, table)) is not None:
            needs.setdefault((need.version, need.printed, record.value("model.path")), need)
    return list(found.values()), list(needs.values())


def _need(corpus: Path, path: Path, record: Record, table: list[dict[str, Any]]) -> Need | None:
    printed = record.clue("clue.kv_needed_gib")
    if not isinstance(printed, float) or printed < 1:
        return None
    entry = _entry(corpus, path, record.value("model.path"), table)
    try:
        setup = _setup(corpus, record, entry)
        release = candidates(setup.version)[0]
        sixteen, eight = (needed_bytes(setup, width, release) / GIB for width in (2.0, 1.0))
    except UnpredictableError:
        return None
    return Need(str(entry.get("match")), record.value("engine.version"), printed, sixteen, eight)


def _starts(corpus: Path) -> Iterator[tuple[Path, Record]]:
    for folder in FOLDERS:
        for path in sorted((corpus / folder).rglob("*")):
            if path.is_file() and path.suffix in (".log", ".txt", ".out") and "metrics" not in path.name:
                yield from _starts_of(path)


def _starts_of(path: Path) -> Iterator[tuple[Path, Record]]:
    session = 1
    while True:
        try:
            record = read_arm([str(path)], Redactor(), Options(session=str(session), local_checkpoint=False))
        except KvauditError:
            return
        if record.value("engine.name") == "vllm":
            yield path, record
        if session >= record.sessions.count:
            return
        session += 1


def _row(corpus: Path, path: Path, record: Record, table: list[dict[str, Any]]) -> Row:
    model = record.value("model.path")
    entry = _entry(corpus, path, model, table)
    row = Row(
        log=str(path.relative_to(corpus)),
        version=record.value("engine.version"),
        model=model,
        name=entry.get("match") or Path(model or "").name,
        tensor=record.value("parallel.tensor"),
        gib=record.value("kv_cache.memory_gib"),
        printed=record.value("kv_cache.tokens"),
        shape="config" if "config" in entry else str(entry.get("confirmed_by", "description")),
    )
    try:
        return _predicted(row, record, _setup(corpus, record, entry))
    except UnpredictableError as reason:
        return replace(row, why=str(reason))


def _entry(corpus: Path, path: Path, model: str | None, table: list[dict[str, Any]]) -> dict[str, Any]:
    """The table's entry for a model, or the checkpoint file that lies beside the log."""
    beside = path.with_suffix(".config.json")
    if beside.is_file():
        return {"config": str(beside.relative_to(corpus))}
    words = (model or "").lower().replace("--", "/")
    known = [entry for entry in table if entry["match"].lower() in words]
    return max(known, key=lambda entry: len(entry["match"]), default={})


def _setup(corpus: Path, record: Record, entry: dict[str, Any]) -> Setup:
    if "config" in entry:
        path = corpus / entry["config"]
        path = path if path.is_file() else corpus / "ckpt_config" / entry["config"]
        shape = json.loads(path.read_text(encoding="utf-8"))
    elif "shape" in entry:
        shape = entry["shape"]
    else:
        raise UnpredictableError(entry.get("why", "no shape of this model at hand"))
    setup = setup_of(Arm(record, entry), geometry(decoder_of(shape)))
    if "draft_layers" in entry:
        setup = replace(setup, draft_layers=entry["draft_layers"], speculative_tokens=record.value("speculative.tokens") or 0)
    return setup


def _predicted(row: Row, record: Record, setup: Setup) -> Row:
    """The row with the prediction nearest to the print, among the releases a build may follow."""
    outcome = fits_capacity(setup, WIDTHS, row.gib, row.printed)
    stated = bits(record.value("kv_cache.dtype"))
    width, width_from = (stated / 8, "log") if stated in (32, 16, 8) else (outcome.width, "test")
    if width is None:
        raise UnpredictableError(outcome.why)
    predictions = [simulate(setup, width, release, row.gib) for release in candidates(setup.version)]
    nearest: Prediction = min(predictions, key=lambda one: abs(one.tokens - row.printed))
    fits = {fit.width for fit in outcome.fits}
    return replace(
        row,
        width=width,
        width_from=width_from,
        predicted=nearest.tokens,
        exact=width in fits,
        wrong_widths=len(fits - {width}),
    )


COLUMNS = ("vLLM", "model", "TP", "GiB", "bytes", "printed", "predicted", "error %", "whole blocks", "shape")


def table_of(found: list[Row], with_logs: bool) -> str:
    """The predicted rows as a Markdown table by version, and why the others are not predicted."""
    columns = (*COLUMNS, "log") if with_logs else COLUMNS
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    predicted = sorted((row for row in found if row.predicted is not None), key=lambda row: (_order(row.version), row.name))
    lines += [f"| {' | '.join([*_cells(row), row.log][: len(columns)])} |" for row in predicted]
    reasons = Counter(row.why for row in found if row.predicted is None)
    lines += ["", "| starts | not predicted because |", "|---|---|"]
    lines += [f"| {count} | {why} |" for why, count in reasons.most_common()]
    return "\n".join(lines)


def _order(version: str | None) -> list[int]:
    return [int(part) for part in str(version).split("+")[0].split(".") if part.isdigit()]


def _cells(row: Row) -> list[str]:
    width = f"{row.width:g}" + " (test)" * (row.width_from == "test")
    figures = [f"{row.printed:,}", f"{row.predicted:,}", f"{row.error:+.3f}", "yes" if row.exact else "no", row.shape]
    return [str(row.version), row.name, str(row.tensor), str(row.gib), width, *figures]


def needs_of(found: list[Need]) -> str:
    """The memory that failed starts name, beside the one that each width would need."""
    lines = ["| failed start of | vLLM | needs GiB | 16 bits would | 8 bits would |", "|---|---|---|---|---|"]
    lines += [f"| {one.name} | {one.version} | {one.printed} | {one.sixteen:.2f} | {one.eight:.2f} |" for one in found]
    return "\n".join(lines)


def summary(found: list[Row]) -> str:
    """How many predictions are how near: all, and those whose shape is a stored config.json."""
    stored = [row for row in found if row.shape == "config"]
    return "\n".join(f"{words}: {_counts(rows_)}" for words, rows_ in (("all", found), ("stored config.json", stored)))


def _counts(found: list[Row]) -> str:
    errors = [abs(row.error) for row in found if row.error is not None]
    near = [sum(error <= limit for error in errors) for limit in (0.12, 0.2)]
    exact, wrong = sum(row.exact for row in found), sum(row.wrong_widths for row in found)
    proven = sum(row.width_from == "log" for row in found)
    return (
        f"{len(found)} distinct starts, {len(errors)} predicted ({proven} with the width that the log alone proves); "
        f"within 0.12 %: {near[0]}; within 0.2 %: {near[1]}; whole-blocks test passed: {exact}; another width passed too: {wrong}"
    )


def main() -> int:
    """Print the table; 1 when a predicted capacity is off by more than 0.2 %, 2 without a collection."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--json", type=Path, help="write the rows, log names too")
    parser.add_argument("--brief", action="store_true", help="leave the log names out of the table")
    arguments = parser.parse_args()
    corpus = os.environ.get(VARIABLE)
    if not corpus:
        sys.stderr.write(f"skipped: {VARIABLE} is not set; set it to a folder of logs and checkpoint files\n")
        return 2
    found, needs = rows(Path(corpus))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in found], indent=1), encoding="utf-8")
    sys.stdout.write(f"{table_of(found, not arguments.brief)}\n\n{needs_of(needs)}\n\n{summary(found)}\n")
    return int(any(row.error is not None and abs(row.error) > 0.2 for row in found))


if __name__ == "__main__":
    sys.exit(main())
