"""Lines that a terminal cut at its width go together again; lines that merely have one width do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.sources.lines import hit_lines
from kvaudit.sources.pasted import width_of
from tests.sources.reading import record_of, source_of, texts
from tests.sources.test_documents import TABLE
from tests.sources.writers import LOG, WRAPPERS, plain


@pytest.mark.parametrize("width", [80, 100])
def test_a_cut_paste_is_read_as_printed_and_noted(width: int, tmp_path: Path) -> None:
    data = WRAPPERS[f"cut at {width} columns"](LOG)
    source = source_of(tmp_path, data)
    assert texts(source) == texts(source_of(tmp_path, plain(LOG), "plain.log"))
    assert source.notes == [f"lines that were cut at {width} columns are read as one"]
    numbers = {line.text: line.number for line in hit_lines(source)}
    assert data.decode().split("\n")[numbers[LOG[10]] - 1] == LOG[10][:width]


def test_a_number_that_was_cut_is_no_smaller_number(tmp_path: Path) -> None:
    line = (
        "(EngineCore pid=7) INFO 05-17 11:42:07 [scheduler.py:226] Chunked prefill is enabled with max_num_batched_tokens=4096."
    )
    width = line.index("96.")
    lines = [line if "max_num_batched_tokens" in one else one for one in LOG]
    (tmp_path / "pasted.log").write_bytes(
        plain([one[start : start + width] for one in lines for start in range(0, len(one), width)])
    )
    assert record_of(tmp_path / "pasted.log").value("scheduler.max_num_batched_tokens") == 4096


@pytest.mark.parametrize(
    "lines",
    [
        LOG,
        TABLE,
        ["=" * 80, "INFO 05-17 11:42:07 [core.py:1] a", "=" * 80, "b", "=" * 80, "c", "=" * 80, "d"],
        [f"INFO 05-17 11:42:07 [core.py:1] {'x' * 40} {number}" for number in range(10, 40)],
        [f"step {number} {'y' * 70}" for number in range(10, 40)],
    ],
    ids=["a whole log", "a table", "rules", "records of one length", "no records"],
)
def test_what_has_one_width_by_nature_is_not_cut(lines: list[str]) -> None:
    assert width_of(plain(lines)) is None
