"""Whole pages, as a reader sees them at 80 columns in a pipe."""

from __future__ import annotations

from dataclasses import replace

from kvaudit.audit.report import Report
from kvaudit.redaction import Redactor
from kvaudit.reports.interface import render_text

BAD_PAIR = """\
NOT COMPARABLE · 1 error, 1 warning · exit 1: findings that fail

  • Arm b keeps its KV cache as fp8_e4m3, and nothing in its launch asks for
    that. [hidden-fp8-kv]
  • Capacity b ÷ a = 1.800.

            a                                  b
evidence    a/server.log                       b/server.log
engine      vllm 0.25.0                        vllm 0.25.0
model       nordlys/Fjord-8B-Instruct          nordlys/Fjord-8B-Instruct
KV cache    bfloat16, 400,000 tokens           fp8_e4m3, 720,000 tokens
KV memory   24.41 GiB per rank                 21.97 GiB per rank
start       1 of 1, ready                      2 of 3, ready, lines 91 to 300
afterwards                                     start 3 (line 301) failed: CUDA
                                               out of memory

Findings
error[hidden-fp8-kv] arm b: The KV cache is quantized and nobody asked for it
  b  kv_cache.dtype = fp8_e4m3 (resolved)
       how: the worker says so
       b/server.log:130  Using fp8_e4m3 data type to store kv cache
     kv_cache.dtype = auto (resolved)
       b/server.log:95  …x_seq_len=32768, kv_cache_dtype=auto, device_config=cu…
  fix: Pass --kv-cache-dtype on both arms.

warning[unequal-kv-capacity] arms a and b: The KV caches hold different
  numbers of tokens
  Arm a holds 400,000 tokens, arm b 720,000.
  a  kv_cache.tokens = 400,000 tokens (resolved)
       a/server.log:140  …GPU KV cache size: 400,000 tokens
  b  kv_cache.tokens = 720,000 tokens (resolved)
       b/server.log:141  …GPU KV cache size: 720,000 tokens
  explained by: the difference of kv_cache.dtype

Capacity
  b holds 1.800 times the tokens of a: 720,000 against 400,000
  1.800 = 2.000 (bytes per token) × 0.900 (KV memory)
  KV memory per rank, b minus a: -2.44 GiB = weights -2.20, graphs -0.24

Differences             a                       b                       b ÷ a
confound: not under test, explained by nothing else
  kv_cache.dtype        bfloat16                fp8_e4m3
derived: follows from kv_cache.dtype
  kv_cache.tokens       400,000 tokens          720,000 tokens          1.800

Could not be checked
  a GPU snapshot (nvidia-smi) of the host, taken during the run (arms a and b)
    add: -a gpus.xml -b gpus.xml   (from: nvidia-smi -q -x > gpus.xml)
    for: stray-gpu-tenant

Notes on the evidence
  b  b/server.log: 1 line in a form that is not known, so nothing was taken from
     there
       b/server.log:77  KV cache dtype: something new

If this is what you test: --vary kv_cache.dtype

settings file: none · kvaudit 7.7.7
"""

COMPARABLE_PAIR = """\
COMPARABLE · no findings · exit 0: nothing that fails

  • Nothing known differs beyond its tolerance, except what was put under test.

            a                                  b
evidence    before.log                         after.log
engine      vllm 0.25.0                        vllm 0.25.0
model       nordlys/Fjord-8B-Instruct          nordlys/Fjord-8B-Instruct
KV cache    bfloat16, 400,000 tokens           bfloat16, 400,000 tokens
KV memory   24.41 GiB per rank                 24.41 GiB per rank
start       1 of 1, ready                      1 of 1, ready

Differences               a                      b                      b ÷ a
expected: named by --vary
  scheduler.max_num_seqs  256                    512                    2.000
other keys of engine line
  /served_model_name      before                 after
5 more differences that decide nothing (5 cosmetic): --format json lists them

settings file: kvaudit.toml · under test: scheduler.max_num_seqs · kvaudit 7.7.7
"""

UNDECIDED_PAIR = """\
CANNOT TELL · no findings · exit 3: undecided
undecided: kv_cache.dtype
accepted as unknown: gpu.tenants

  • kv_cache.dtype is not decided: arm b: the evidence only says auto, which
    decides nothing.

            a                                  b
evidence    a.log                              b.log
engine      vllm 0.25.0                        vllm 0.25.0
model       nordlys/Fjord-8B-Instruct          nordlys/Fjord-8B-Instruct
KV cache    bfloat16, 400,000 tokens           element type unknown, 400,000
                                               tokens
KV memory   24.41 GiB per rank                 24.41 GiB per rank
start       1 of 1, ready                      1 of 1, ready

Differences             a                       b                       b ÷ a
unknown: not known, or not set, on one side
  kv_cache.dtype        bfloat16                unknown

Could not be checked
  kv_cache.dtype (undecided) of arm b: the evidence only says auto, which
  decides nothing
    add: -b nordlys/Fjord-8B-Instruct/config.json
    for: kv-dtype-differs
  kv_cache.placement, kv_transfer.role of arm a: evidence that names it
    for: kv-cache-on-host, kv-transfer-differs

settings file: none · kvaudit 7.7.7
"""

SINGLE_ARM = """\
PASS · no findings · exit 0: nothing that fails

  • Nothing speaks against this run.

evidence    server.log
engine      vllm 0.25.0
model       nordlys/Fjord-8B-Instruct
KV cache    bfloat16, 400,000 tokens
KV memory   24.41 GiB per rank
start       1 of 1, ready

settings file: none · kvaudit 7.7.7
"""


def at_80(report: Report, redactor: Redactor) -> str:
    return render_text(replace(report, kvaudit="7.7.7"), redactor)


def test_a_bad_pair(bad_pair: Report, redactor: Redactor) -> None:
    assert at_80(bad_pair, redactor) == BAD_PAIR


def test_a_comparable_pair(comparable_pair: Report, redactor: Redactor) -> None:
    assert at_80(comparable_pair, redactor) == COMPARABLE_PAIR


def test_a_pair_that_cannot_be_told(undecided_pair: Report, redactor: Redactor) -> None:
    assert at_80(undecided_pair, redactor) == UNDECIDED_PAIR


def test_one_arm(single_arm: Report, redactor: Redactor) -> None:
    assert at_80(single_arm, redactor) == SINGLE_ARM


def test_no_line_is_wider_than_the_page(bad_pair: Report, redactor: Redactor) -> None:
    for width in (24, 40, 60, 72, 80, 100, 133, 200):
        lines = render_text(bad_pair, redactor, width).splitlines()
        assert [line for line in lines if len(line) > width] == []


def test_both_arms_stand_side_by_side_from_100_columns(bad_pair: Report, redactor: Redactor) -> None:
    beside = [line for line in render_text(bad_pair, redactor, 100).splitlines() if line.count("kv_cache.tokens = ") == 2]
    below = [line for line in render_text(bad_pair, redactor, 99).splitlines() if line.count("kv_cache.tokens = ") == 2]
    assert (len(beside), len(below)) == (1, 0)


def test_colour_only_where_it_is_asked_for(bad_pair: Report, redactor: Redactor) -> None:
    assert "\x1b[1;31mNOT COMPARABLE\x1b[0m" in render_text(bad_pair, redactor, 80, colour=True)
    assert "\x1b" not in render_text(bad_pair, redactor, 80)


def test_colour_does_not_move_a_word(bad_pair: Report, redactor: Redactor) -> None:
    import re

    coloured = render_text(bad_pair, redactor, 80, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render_text(bad_pair, redactor, 80)


def test_without_vary_one_axis_gives_a_hint_and_with_it_none(bad_pair: Report, redactor: Redactor) -> None:
    assert "--vary kv_cache.dtype" in render_text(bad_pair, redactor)
    bad_pair.settings.vary = ["model.path"]
    assert "--vary" not in render_text(bad_pair, redactor)


def test_two_axes_give_no_hint(bad_pair: Report, redactor: Redactor) -> None:
    other = replace(bad_pair.differences[0], field="model.max_len", values=(8192, 32768))
    bad_pair.differences.append(other)
    assert "If this is what you test" not in render_text(bad_pair, redactor)


def test_a_failing_verdict_with_exit_0_says_why(bad_pair: Report, redactor: Redactor) -> None:
    bad_pair.exit_code = 0
    first = render_text(bad_pair, redactor).splitlines()[0]
    assert first == "NOT COMPARABLE · 1 error, 1 warning · exit 0: --fail-on lets it pass"
