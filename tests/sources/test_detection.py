"""Which wrapper a document is in: named, and loose shapes only where a document is full of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sources.reading import record_of, source_of, texts
from tests.sources.writers import CORE, LOG, WRAPPERS, Writer, cloud_newest_first, plain, stamped

NAMES = {
    "none": None,
    "ansi": "ansi",
    "docker-json": "docker-json",
    "filebeat": "shipper-json",
    "loki": "loki",
    "cri": "cri",
    "journald-short": "journald-short",
    "kubectl-prefix with stamps": "kubectl-prefix+rfc3339",
    "compose": "compose",
    "github actions around compose": "rfc3339+compose",
    "srun": "rank-prefix",
    "mpirun": "mpirun",
    "kaggle": "notebook",
    "listing": "numbered-listing",
    "cat -n": "numbered-listing",
    "grep -n": "grep-n",
    "grep -n around journald": "grep-n+journald-short",
    "quoted": "quoted",
    "csv": "csv",
    "grafana": "loki",
    "indented": "indented",
    "ray": "ray",
    "array": "json-array",
    "array cut at both ends": "json-array",
    "cloud entries": "cloud-entry",
    "cloud entries by line": "cloud-entry",
    "notebook": "notebook-cells",
}


@pytest.mark.parametrize("wrapper", NAMES)
def test_the_wrapper_is_named(wrapper: str, tmp_path: Path) -> None:
    assert source_of(tmp_path, WRAPPERS[wrapper](LOG)).wrapper == NAMES[wrapper]


def test_the_record_names_it(tmp_path: Path) -> None:
    (tmp_path / "server.log").write_bytes(WRAPPERS["compose with stamps"](LOG))
    assert record_of(tmp_path / "server.log").sources[0].wrapper == "compose+rfc3339"


def test_a_selection_of_lines_says_that_absence_proves_nothing(tmp_path: Path) -> None:
    for name in ("grep -n", "grep -H"):
        assert any("what is missing proves nothing" in note for note in source_of(tmp_path, WRAPPERS[name](LOG)).notes), name
    assert source_of(tmp_path, WRAPPERS["listing"](LOG)).notes == []


def test_lines_of_context_of_grep_are_lines_too(tmp_path: Path) -> None:
    lines = [f"{10 + 3 * number}:{line}" for number, line in enumerate(LOG)]
    lines[12:12] = ["--", f"45-{stamped(CORE, 'GPU KV cache size: 16 tokens')}"]
    assert stamped(CORE, "GPU KV cache size: 16 tokens") in texts(source_of(tmp_path, plain(lines)))


def test_a_few_lines_that_look_wrapped_do_not_wrap_a_document(tmp_path: Path) -> None:
    source = source_of(tmp_path, plain([*LOG, "otter-1  | INFO x", "> Error: no", "7: Error: no"]))
    assert source.wrapper is None
    assert "7: Error: no" in texts(source)


@pytest.mark.parametrize("text", ['{"a": 1,', "{", "[", "[{"])
def test_lines_within_a_printed_document_are_not_pasted_with_blanks_in_front(text: str, tmp_path: Path) -> None:
    lines = [text, *(f"    {line}" for line in LOG), "}"]
    assert source_of(tmp_path, plain(lines)).wrapper is None
    assert source_of(tmp_path, plain(["Our log:", *lines[1:]])).wrapper == "indented"


def test_a_wrapper_that_begins_far_behind_the_head_is_taken_off_all_the_same(tmp_path: Path) -> None:
    before = [f"step {number} of the build" for number in range(6_000)]
    source = source_of(tmp_path, plain([*before, *WRAPPERS["compose"](LOG).decode().splitlines()]))
    assert source.wrapper == "compose"
    assert texts(source)[-1] == LOG[-1]


def test_a_journal_says_how_many_lines_it_left_out(tmp_path: Path) -> None:
    lines = [f"May 17 11:42:07 bench-host vllm[7]: {line}" for line in (*LOG, "[123B blob data]", "[77B blob data]")]
    assert any("2 lines as blob data" in note for note in source_of(tmp_path, plain(lines)).notes)


@pytest.mark.parametrize(
    "document",
    [
        {"title": "pitfalls", "items": [{"evidence": LOG[10]}, {"evidence": LOG[6]}]},
        [{"title": "pitfalls", "evidence": LOG[10]}, {"title": "more", "evidence": LOG[6]}],
        {"arms": {"bf16": {"key_lines": LOG}, "fp8": {"key_lines": LOG}}},
    ],
    ids=["bundle", "list of notes", "manifest of two servers"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_that_only_quotes_lines_is_refused(document: object, indent: int | None, tmp_path: Path) -> None:
    (tmp_path / "bundle.json").write_text(json.dumps(document, indent=indent), encoding="utf-8")
    with pytest.raises(Exception, match=r"bundle\.json.*not recognised"):
        record_of(tmp_path / "bundle.json")


def _loki_newest_first(lines: list[str]) -> bytes:
    entries = [{"labels": {}, "line": line, "timestamp": f"2026-05-17T11:42:{number:02d}Z"} for number, line in enumerate(lines)]
    return plain([json.dumps(entry) for entry in reversed(entries)])


def _stamped_newest_first(lines: list[str]) -> bytes:
    return plain([f"2026-05-17T11:42:{number:02d}.5Z {line}" for number, line in enumerate(lines)][::-1])


@pytest.mark.parametrize("write", [cloud_newest_first, _loki_newest_first, _stamped_newest_first])
def test_newest_first_is_read_from_the_oldest_on(write: Writer, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_bytes(write(LOG))
    record = record_of(tmp_path / "export.json")
    assert any("newest first" in note for note in record.sources[0].notes)
    assert record.sessions.count == 1
    assert record.value("kv_cache.tokens") == 393_216
    assert record.value("engine.ready") is True


def test_the_source_of_a_notebook_is_no_log(tmp_path: Path) -> None:
    source = source_of(tmp_path, WRAPPERS["notebook"](LOG))
    assert texts(source) == texts(source_of(tmp_path, plain(LOG)))
    assert "7 tokens" not in (source.text() or "")


def test_a_notebook_on_one_line(tmp_path: Path) -> None:
    notebook = json.dumps(json.loads(WRAPPERS["notebook"](LOG)))
    (tmp_path / "a.ipynb").write_text(notebook, encoding="utf-8")
    assert record_of(tmp_path / "a.ipynb").value("kv_cache.tokens") == 393_216


def test_an_array_on_one_line_beyond_the_window_is_read_whole(tmp_path: Path) -> None:
    noise = [f"INFO:     10.0.0.7:{number} - POST /v1/completions 200 OK" for number in range(60_000)]
    between = [line for number in range(0, 60_000, 6_000) for line in (*noise[number : number + 6_000], "Error: no")]
    (tmp_path / "lines.json").write_text(json.dumps([*LOG[:14], *between, *LOG[14:]]), encoding="utf-8")
    record = record_of(tmp_path / "lines.json")
    assert (tmp_path / "lines.json").stat().st_size > 3_000_000
    assert record.value("kv_cache.tokens") == 393_216
    assert record.value("engine.ready") is True


def test_a_snapshot_in_a_wrapper_is_read_with_its_lines(tmp_path: Path) -> None:
    rows = ["index, name, memory.used [MiB], memory.total [MiB]", "0, Otter X1, 30000 MiB, 81920 MiB"]
    (tmp_path / "gpus.log").write_bytes(WRAPPERS["compose"](rows))
    record = record_of(tmp_path / "gpus.log")
    assert record.value("gpu.memory_used_mib") == [30_000]
    assert record.facts("gpu.memory_used_mib")[0].origins[0].line == 2
