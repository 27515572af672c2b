"""The page of `kvaudit why`."""

from __future__ import annotations

from dataclasses import replace

from kvaudit.fields import Stage
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.record.model import FieldState, Record
from kvaudit.redaction import Redactor
from kvaudit.reports.why import why_page


def fact(field: str, stage: Stage, value: object, line: int, excerpt: str, *, how: str | None = None) -> Fact:
    return Fact(field=field, stage=stage, value=value, how=how, origins=[Origin(file="server.log", line=line, excerpt=excerpt)])


DTYPE = FieldState(
    state="known",
    value="fp8_e4m3",
    stage="resolved",
    facts=[
        fact("kv_cache.dtype", "requested", "auto", 12, "kv_cache_dtype=auto"),
        fact("kv_cache.dtype", "resolved", "fp8_e4m3", 25, "kv dtype: fp8_e4m3", how="the worker names the element type"),
        fact(
            "kv_cache.dtype",
            "inferred",
            "fp8",
            33,
            "Available: 8.00 GiB",
            how="8.00 GiB ÷ 131,072 tokens: 1.00 bytes per element",
        ),
        fact("kv_cache.dtype", "inferred", "bfloat16", 40, "FLEX_ATTENTION", how="a backend without FP8"),
    ],
    won=[1],
)

PAGE = """\
kv_cache.dtype of arm b = fp8_e4m3 (resolved: the engine after its own
decisions)
  The effective element type of the KV cache, never what was merely asked for.
  evidence: fp8.log

> fp8_e4m3 (resolved): decides
    how: the worker names the element type
    server.log:25  kv dtype: fp8_e4m3

  fp8 (inferred): agrees, and leaves the variant open
    how: 8.00 GiB ÷ 131,072 tokens: 1.00 bytes per element
    server.log:33  Available: 8.00 GiB

  bfloat16 (inferred): beaten by stronger evidence
    how: a backend without FP8
    server.log:40  FLEX_ATTENTION

  auto (requested): delegates: it leaves the decision to somebody else and
  proves nothing
    server.log:12  kv_cache_dtype=auto

Order of belief: a worker's own words; KV memory ÷ tokens; the engine line or
                 the quantized-KV notice; backends that hold no FP8 KV; an auto
                 that this version leaves untouched; the checkpoint's statement
                 under this version. auto itself proves nothing
"""


def page_of(name: str, held: FieldState, redactor: Redactor) -> str:
    return why_page(Record(label="fp8.log", fields={name: held}), name, redactor)


def test_the_whole_page(redactor: Redactor) -> None:
    record = Record(label="fp8.log", fields={"kv_cache.dtype": DTYPE})
    assert why_page(record, "kv_cache.dtype", redactor, arm="b") == PAGE


def test_a_saved_report_does_not_say_what_decided_and_the_page_still_does(redactor: Redactor) -> None:
    saved = replace(DTYPE, won=[])
    assert "> fp8_e4m3 (resolved): decides" in page_of("kv_cache.dtype", saved, redactor)


def test_a_weaker_stage_is_beaten(redactor: Redactor) -> None:
    name = "model.max_len"
    facts = [fact(name, "requested", 8192, 3, "max_model_len=8192"), fact(name, "resolved", 4096, 9, "max_seq_len=4096")]
    held = FieldState(state="known", value=4096, stage="resolved", facts=facts, won=[1])
    page = page_of(name, held, redactor)
    assert "  8,192 tokens (requested): beaten: resolved is believed before requested\n" in page
    assert page.index("> 4,096 tokens") < page.index("8,192 tokens (requested)")


def test_the_smallest_rank_binds(redactor: Redactor) -> None:
    name = "kv_cache.tokens"
    facts = [
        replace(fact(name, "observed", tokens, line, f"{tokens} tokens"), scope=f"rank {line}")
        for line, tokens in ((0, 5000), (1, 4096))
    ]
    held = FieldState(state="known", value=4096, stage="observed", facts=facts, won=[1, 0])
    page = page_of(name, held, redactor)
    assert "> 4,096 tokens (observed, rank 1): decides: the smallest of the ranks binds" in page
    assert "> 5,000 tokens (observed, rank 0): not the smallest of the ranks" in page


def test_an_unknown_field_says_what_would_settle_it(redactor: Redactor) -> None:
    facts = [fact("kv_cache.dtype", "requested", "auto", 12, "kv_cache_dtype=auto")]
    held = FieldState(state="unknown", because="the evidence only says auto", facts=facts)
    page = page_of("kv_cache.dtype", held, redactor)
    assert page.startswith("kv_cache.dtype = unknown\n")
    assert "  because the evidence only says auto\n" in page
    assert "Would settle it: the checkpoint's config.json" in page


def test_a_field_that_nothing_speaks_of(redactor: Redactor) -> None:
    page = why_page(Record(label="x.log"), "gpu.driver", redactor)
    assert page.startswith("gpu.driver = unknown\n")
    assert "because no line of the evidence names it" in page


def test_a_conflict_names_both_sides(redactor: Redactor) -> None:
    name = "kv_cache.scheme"
    facts = [fact(name, "stated", "none", 3, "kv: null"), fact(name, "stated", "fp8", 9, "kv: FP8")]
    held = FieldState(state="conflict", because="none, fp8 are both said", facts=facts, won=[0, 1])
    assert page_of(name, held, redactor).count("one of the facts that contradict each other with equal strength") == 2
