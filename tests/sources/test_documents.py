"""Several documents in one file: each is read for itself, with the line numbers of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kvaudit.errors import InputErrors
from kvaudit.sources.lines import hit_lines
from tests.sources.reading import error_of, found_in, record_of, source_of
from tests.sources.writers import LOG, plain

OTHER = [line.replace("393,216", "196,608").replace("24.00x", "12.00x").replace("24.0 GiB", "12.0 GiB") for line in LOG]
TABLE = [
    "Sun May 17 11:40:00 2026",
    "+-----------------------------------------------------------------------------------------+",
    "| NVIDIA-SMI 580.95.05              Driver Version: 580.95.05      CUDA Version: 13.0     |",
    "|-----------------------------------------+------------------------+----------------------+",
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    "|=========================================+========================+======================|",
    "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                    0 |",
    "| N/A   31C    P0             70W /  700W |    2048MiB /  81559MiB |      0%      Default |",
    "|                                         |                        |             Disabled |",
    "+-----------------------------------------+------------------------+----------------------+",
    "",
    "+-----------------------------------------------------------------------------------------+",
    "| Processes:                                                                              |",
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |",
    "|        ID   ID                                                               Usage      |",
    "|=========================================================================================|",
    "|    0   N/A  N/A         9911      C   /usr/bin/trainer                           2038MiB |",
    "+-----------------------------------------------------------------------------------------+",
]
BENCH = ["============ Serving Benchmark Result ============", "Successful requests:                     96", "=" * 50]


def interleaved() -> list[str]:
    """Two services of one compose file, their lines between each other, and a proxy."""
    lines = ["Attaching to gate-1, otter-a-1, otter-b-1", "gate-1     | INFO:     Application startup complete."]
    for one, other in zip(LOG, OTHER, strict=True):
        lines += [f"otter-a-1  | {one}", f"otter-b-1  | {other}"]
    return lines


def test_each_service_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "compose.log").write_bytes(plain(interleaved()))
    found = found_in(tmp_path / "compose.log")
    assert list(found) == ["gate-1", "otter-a-1", "otter-b-1"]
    source = found["otter-b-1"].source
    assert source is not None
    lines = {line.text: line.number for line in hit_lines(source)}
    assert lines[OTHER[10]] == 2 + 2 * 11
    assert LOG[10] not in lines


@pytest.mark.parametrize(("service", "tokens"), [("otter-a-1", 393_216), ("otter-b-1", 196_608), ("otter-b", 196_608)])
def test_a_service_can_be_picked(service: str, tokens: int, tmp_path: Path) -> None:
    (tmp_path / "compose.log").write_bytes(plain(interleaved()))
    record = record_of(f"{tmp_path}/compose.log#{service}")
    assert record.value("kv_cache.tokens") == tokens
    assert record.sessions.count == 1
    assert [source.kind for source in record.sources] == ["engine-log"]
    assert record.facts("kv_cache.tokens")[0].origins[0].file.startswith(f"{tmp_path}/compose.log#otter")


def test_a_service_that_is_not_there_is_an_error_that_lists_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "compose.log").write_bytes(plain(interleaved()))
    error = error_of(f"{tmp_path}/compose.log#walrus")
    assert error.path == f"{tmp_path}/compose.log#walrus"
    assert "gate-1, otter-a-1, otter-b-1" in error.message
    (tmp_path / "server.log").write_bytes(plain(LOG))
    assert "one document" in error_of(f"{tmp_path}/server.log#walrus").message


def test_services_beside_the_engine_are_ignored_and_listed(tmp_path: Path) -> None:
    lines = [line for line in interleaved() if not line.startswith("otter-b")]
    (tmp_path / "compose.log").write_bytes(plain(lines))
    record = record_of(tmp_path / "compose.log")
    assert [(source.path.rpartition("#")[2], source.kind) for source in record.sources] == [
        ("gate-1", "ignored"),
        ("otter-a-1", "engine-log"),
    ]
    assert record.value("kv_cache.tokens") == 393_216


def test_a_file_of_services_of_which_none_is_recognised_is_an_error(tmp_path: Path) -> None:
    lines = ["gate-1  | INFO:     Application startup complete.", "door-1  | INFO:     Application startup complete."] * 3
    (tmp_path / "compose.log").write_bytes(plain(lines))
    with pytest.raises(InputErrors, match=r"compose\.log: not recognised"):
        record_of(tmp_path / "compose.log")


def test_pods_are_services(tmp_path: Path) -> None:
    both = [line for pair in zip(LOG, OTHER, strict=True) for line in pair]
    lines = [f"[pod/otter-{number % 2}/vllm] {line}" for number, line in enumerate(both)]
    (tmp_path / "pods.log").write_bytes(plain(lines))
    assert list(found_in(tmp_path / "pods.log")) == ["otter-0/vllm", "otter-1/vllm"]
    assert record_of(f"{tmp_path}/pods.log#otter-1/vllm").value("kv_cache.tokens") == 196_608


def test_one_service_alone_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "compose.log").write_bytes(plain([f"otter-1  | {line}" for line in LOG]))
    assert list(found_in(tmp_path / "compose.log")) == [""]


def test_files_that_head_printed_are_sources_with_their_lines(tmp_path: Path) -> None:
    config = json.dumps({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 36}, indent=2)
    lines = [
        "==> run/server.log <==",
        *LOG,
        "",
        "==> run/config.json <==",
        *config.splitlines(),
        "",
        "==> run/gpus.txt <==",
        *TABLE,
    ]
    (tmp_path / "all.txt").write_bytes(plain(lines))
    record = record_of(tmp_path / "all.txt")
    assert [(source.path.rpartition("#")[2], source.kind) for source in record.sources] == [
        ("run/server.log", "engine-log"),
        ("run/config.json", "checkpoint"),
        ("run/gpus.txt", "gpu-snapshot"),
    ]
    assert record.value("model.layers") == 36
    assert record.facts("kv_cache.tokens")[0].origins[0].line == 1 + 11
    (layers,) = record.facts("model.layers")
    assert layers.origins[0].line == lines.index('  "num_hidden_layers": 36') + 1
    assert record.facts("gpu.memory_used_mib")[0].origins[0].line == lines.index(TABLE[9]) + 1


def test_parts_that_tail_went_back_to_belong_together(tmp_path: Path) -> None:
    lines = ["==> a.log <==", *LOG[:8], "==> b.log <==", *OTHER[:8], "==> a.log <==", *LOG[8:], "==> b.log <==", *OTHER[8:]]
    (tmp_path / "tail.txt").write_bytes(plain(lines))
    for name, tokens in (("a.log", 393_216), ("b.log", 196_608)):
        record = record_of(f"{tmp_path}/tail.txt#{name}")
        assert record.value("kv_cache.tokens") == tokens
        assert record.sessions.count == 1


@pytest.mark.parametrize("order", ["before", "behind"])
def test_a_table_beside_a_log_is_a_snapshot(order: str, tmp_path: Path) -> None:
    lines = [*TABLE, "", *LOG, "", *BENCH] if order == "before" else [*LOG, *BENCH, "", *TABLE]
    (tmp_path / "run.log").write_bytes(plain(lines))
    record = record_of(tmp_path / "run.log")
    assert [source.kind for source in record.sources] == ["engine-log", "results", "gpu-snapshot"]
    assert record.value("kv_cache.tokens") == 393_216
    assert record.value("gpu.memory_used_mib") == [2_048]
    assert record.facts("gpu.memory_used_mib")[0].origins[0].line == lines.index(TABLE[9]) + 1
    assert record.sources[2].lines == lines.index(TABLE[-2]) + 2


def test_tables_inside_a_log_or_several_of_them_stay_unread(tmp_path: Path) -> None:
    for lines in ([*LOG[:6], *TABLE, *LOG[6:]], [*TABLE, "again", *TABLE, *LOG]):
        (tmp_path / "run.log").write_bytes(plain(lines))
        record = record_of(tmp_path / "run.log")
        assert [source.kind for source in record.sources] == ["engine-log"]
        assert record.state("gpu.memory_used_mib") == "unknown"


def test_a_table_alone_is_one_document(tmp_path: Path) -> None:
    assert source_of(tmp_path, plain(TABLE), "gpus.txt").parts == []


def test_services_beyond_the_sixtieth_are_not_read_and_that_is_said(tmp_path: Path) -> None:
    lines = [f"[pod/otter-{number}/vllm] {line}" for line in LOG[4:8] for number in range(62)]
    (tmp_path / "pods.log").write_bytes(plain(lines))
    sources = [one.source for one in found_in(tmp_path / "pods.log").values() if one.source]
    assert len(sources) == 60
    assert sources[-1].notes[-1] == "62 services in one log; those behind this one are not read"


ISSUE = ["### Your current environment", "", "vLLM on one H100.", "", "### Describe the bug", "", "It answers slowly.", ""]


def test_the_log_of_a_bug_report_is_read_with_the_lines_of_the_page(tmp_path: Path) -> None:
    path = tmp_path / "issue.md"
    path.write_bytes(plain([*ISSUE, "```text", *LOG, "```", "", "### Before submitting", "- [x] I searched"]))
    record = record_of(path)
    assert record.value("kv_cache.tokens") == 393_216
    assert record.facts("kv_cache.tokens")[0].origins[0].line == len(ISSUE) + 1 + 1 + LOG.index(
        next(x for x in LOG if "393,216" in x)
    )
    assert any("a fenced block, are the log" in note for note in record.sources[0].notes)


@pytest.mark.parametrize(
    "body",
    [
        ["```", *LOG, "```", "and with the other model:", "```", *OTHER, "```"],
        [*["Words about what was measured."] * 40, "```", *LOG, "```"],
    ],
    ids=["two logs", "an article"],
)
def test_a_page_that_quotes_several_runs_or_is_mostly_words_is_no_log(body: list[str], tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(plain([*ISSUE, *body]))
    with pytest.raises(InputErrors):
        record_of(path)
