"""Result tables in text: llama-bench as CSV, SQL and Markdown, aiperf's CSV, the table a serving client prints."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.parsers.results import samples
from tests.parsers.results.files import figures, one_run, reading_of, recognised_as, runs_of, said

MARKDOWN = """\
| model           |     size |  params | backend | ngl | type_k | type_v |          test |              t/s |
| --------------- | -------: | ------: | ------- | --: | -----: | -----: | ------------: | ---------------: |
| atlas 8B Q4_K_M | 4.50 GiB |  8.00 B | CUDA    |  99 |   q8_0 |   q8_0 |         pp512 | 2560.00 ± 12.50 |
| atlas 8B Q4_K_M | 4.50 GiB |  8.00 B | CUDA    |  99 |   q8_0 |   q8_0 | tg128 @ d4096 |    64.00 ± 0.25 |

build: 0a1b2c3 (6123)
"""


def _csv() -> str:
    rows = [{key: value for key, value in row.items() if not key.startswith("samples")} for row in samples.llama_bench()]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().replace('"', "", out.getvalue().partition("\n")[0].count('"'))


def _sql() -> str:
    lines = ["CREATE TABLE IF NOT EXISTS llama_bench (", "  build_commit TEXT,", "  avg_ts REAL", ");", ""]
    for row in samples.llama_bench():
        kept = {key: value for key, value in row.items() if not key.startswith("samples")}
        names, values = ", ".join(kept), ", ".join(f"'{value}'" for value in kept.values())
        lines.append(f"INSERT INTO llama_bench ({names}) VALUES ({values});")  # noqa: S608
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("text", "rows"), [(_csv(), (2, 3)), (_sql(), (6, 7)), (MARKDOWN, (3, 4))], ids=["csv", "sql", "table"])
def test_a_row_of_llama_bench_is_a_run(tmp_path: Path, text: str, rows: tuple[int, int]) -> None:
    reading = reading_of(tmp_path, text)
    prompt, output = runs_of(reading)
    assert (prompt.line, output.line) == rows
    assert figures(prompt)["input_throughput"] == 2_560
    assert figures(prompt)["input_length"] == 512
    assert figures(output)["output_throughput"] == 64
    assert figures(output)["output_length"] == 128
    assert (output.label, output.tool_version) == ("tg128", "6123 (0a1b2c3)")
    assert said(reading)["kv_cache.dtype"] == "q8_0"
    assert output.values["output_throughput"].pointer == "avg_ts"


def test_the_depth_of_a_test_is_a_shared_prefix(tmp_path: Path) -> None:
    assert figures(runs_of(reading_of(tmp_path, MARKDOWN))[1])["prefix_length"] == 4_096


@pytest.mark.parametrize("text", ["| model | notes |\n| --- | --- |\n| a | b |\n", "Text.\n" * 9 + MARKDOWN.replace("|", " ")])
def test_other_tables_are_none_of_llama_bench(tmp_path: Path, text: str) -> None:
    assert recognised_as(tmp_path, text) is None


AIPERF = """\
Metric,avg,min,max,p99,p95,p90,p75,p50,std
Time to First Token (ms),20.0,18.0,22.0,21.5,21.0,20.75,20.5,20.0,0.5
Inter Token Latency (ms),20.0,19.0,21.0,20.5,20.5,20.5,20.25,20.0,0.25
Inter Chunk Latency (ms),40.0,30.0,50.0,45.0,44.0,43.0,42.0,40.0,2.0
Request Latency (ms),"4,000.0",3900.0,4100.0,4080.0,4060.0,4050.0,4020.0,4000.0,30.0
Output Sequence Length (tokens),200.0,200.0,200.0,200.0,200.0,200.0,200.0,200.0,0.0

Metric,Value
Request Throughput (requests/sec),2.00
Request Count (requests),64.00
Benchmark Duration (sec),32.00
Output Token Throughput (tokens/sec),400.00

Endpoint,GPU,Metric,avg
localhost,0,GPU Power Usage (W),300
"""


def test_the_csv_of_aiperf(tmp_path: Path) -> None:
    run = one_run(tmp_path, AIPERF)
    found = figures(run)
    assert run.tool == "aiperf"
    assert (found["ttft.mean"], found["ttft.p99"], found["e2e.mean"]) == (20.0, 21.5, 4_000)
    assert (found["tpot.mean"], found["itl.mean"]) == (20.0, 40.0)
    assert (found["completed"], found["duration"], found["request_throughput"]) == (64, 32.0, 2.0)
    assert run.values["completed"].line == 10
    assert run.values["ttft.p99"].line == 2


PRINTED = """\
INFO 03-12 10:15:10 [serve.py:88] Sampling input_len from [1000, 1000] and output_len from [100, 100]
Namespace(backend='openai', model='acme/atlas-8b', dataset_name='random', num_prompts=40, seed=5, random_input_len=1000, \
random_output_len=100, random_prefix_len=256, sharegpt_output_len=None, request_rate=inf, max_concurrency=8, ignore_eos=True)
100%|##########| 40/40 [00:20<00:00,  2.00it/s]
============ Serving Benchmark Result ============
Successful requests:                     40
Benchmark duration (s):                  20.00
Total input tokens:                      40000
Total generated tokens:                  4000
Request throughput (req/s):              2.00
Output token throughput (tok/s):         200.00
Total Token throughput (tok/s):          2200.00
---------------Time to First Token----------------
Mean TTFT (ms):                          80.25
P99 TTFT (ms):                           95.75
----------------End-to-end Latency----------------
Mean E2EL (ms):                          3951.15
==================================================
"""


def test_the_printed_table_with_the_arguments_before_it(tmp_path: Path) -> None:
    run = one_run(tmp_path, PRINTED)
    found = figures(run)
    assert (run.tool, run.model) == ("vllm-bench-serve", "acme/atlas-8b")
    assert (found["completed"], found["total_throughput"], found["e2e.mean"]) == (40, 2_200.0, 3_951.15)
    assert run.values["completed"].line == 5
    assert (found["dataset"], found["seed"], found["prefix_length"], found["request_rate"]) == ("random", 5, 256, "inf")
    assert found["ignore_eos"] is True
    assert run.values["seed"].line == 2


def test_a_second_table_has_no_arguments_of_the_first(tmp_path: Path) -> None:
    table = PRINTED[PRINTED.index("====") :]
    first, second = runs_of(reading_of(tmp_path, PRINTED + table.replace("80.25", "90.25")))
    assert "seed" in first.values
    assert "seed" not in second.values
    assert figures(second)["ttft.mean"] == 90.25


def test_the_table_behind_a_servers_log_is_evidence_too(tmp_path: Path) -> None:
    from kvaudit.record.build import read_arm
    from kvaudit.redaction import Redactor

    log = "(APIServer pid=7) INFO 03-12 10:10:00 [api_server.py:1880] vLLM API server version 0.12.0\n"
    path = tmp_path / "all.log"
    path.write_text(log + PRINTED, encoding="utf-8")
    record = read_arm([str(path)], Redactor())
    assert [(source.kind, source.notes) for source in record.sources] == [
        ("engine-log", []),
        ("results", ["lines 3-17 of the file"]),
    ]
    assert record.value("engine.version") == "0.12.0"
    assert record.value("result.ttft_mean") == 80.25
    assert record.deciding("result.ttft_mean")[0].origins[0].line == 14


SGLANG = """\
benchmark_args=Namespace(backend='sglang', model=None, dataset_name='generated-shared-prefix', num_prompts=64, seed=3, \
gsp_system_prompt_len=2048, gsp_question_len=128, gsp_output_len=64, request_rate=4.0, max_concurrency=None)

============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    4.0
Max request concurrency:                 not set
Successful requests:                     64
Benchmark duration (s):                  16.00
Total input tokens:                      139264
Total generated tokens:                  4096
Total generated tokens (retokenized):    4090
Request throughput (req/s):              4.00
Input token throughput (tok/s):          8704.00
Output token throughput (tok/s):         256.00
Concurrency:                             6.00
Accept length:                           2.50
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   1500.00
P99 E2E Latency (ms):                    1750.50
---------------Inter-Token Latency----------------
Max ITL (ms):                            90.25
==================================================
"""


def test_the_table_of_sglang(tmp_path: Path) -> None:
    run = one_run(tmp_path, SGLANG)
    found = figures(run)
    assert run.tool == "sglang-bench-serving"
    assert (found["endpoint"], found["request_rate"], found["concurrency"], found["accept_length"]) == ("sglang", 4, 6.0, 2.5)
    assert (found["e2e.p99"], found["itl.max"], found["output_tokens_retokenized"]) == (1_750.5, 90.25, 4_090)
    assert (found["prefix_length"], found["input_length"], found["seed"]) == (2_048, 128, 3)
    assert "max_concurrency" not in found
