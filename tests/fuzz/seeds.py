"""What mutations start from: the fixtures, a document of every other format, a log of every line that any parser knows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import signature
from types import FunctionType

from kvaudit.parsers.tables import Table
from tests.conftest import ROOT
from tests.fuzz.documents import DOCUMENTS
from tests.model_files import ONE, decoder, llama_gguf, safetensors
from tests.sources.test_archives import tar_of, zip_of
from tests.sources.writers import COMPRESSIONS, ENCODINGS, LOG, WRAPPERS, plain

ENGINES = ("vllm", "sglang", "llama_cpp", "ollama", "tensorrt_llm", "lmdeploy", "tgi")
_OWN_FILES = frozenset({"case.yaml", "kvaudit.toml", "damaged.tar.gz"})
_LARGEST = 1 << 16
_PREFIXES = {
    "vllm": "(EngineCore pid=4822) INFO 05-17 11:42:07 [core.py:110] ",
    "sglang": "[2026-05-17 11:42:07 TP0] ",
    "tensorrt_llm": "[05/17/2026-11:42:07] [TRT-LLM] [I] ",
    "lmdeploy": "2026-05-17 11:42:07,000 - lmdeploy - INFO - engine.py:1 - ",
    "tgi": "2026-05-17T11:42:07.000001Z  INFO text_generation_launcher: ",
}


@dataclass(frozen=True, slots=True)
class Seed:
    """A sound document: the name of its file and its bytes."""

    name: str
    data: bytes


@cache
def seeds() -> tuple[Seed, ...]:
    """Every starting point, in a fixed order."""
    return (*_fixtures(), *_documents(), *_rows(), *_wrapped(), *_weights(), *_saved(), *_results())


def _fixtures() -> Iterator[Seed]:
    for path in sorted((ROOT / "fixtures").rglob("*")):
        if path.is_file() and path.name not in _OWN_FILES and path.stat().st_size <= _LARGEST:
            yield Seed(path.name, path.read_bytes())


def _documents() -> Iterator[Seed]:
    for name, text in DOCUMENTS.items():
        yield Seed(name, text.encode())


def examples(engine: str) -> list[str]:
    """The example of every row of an engine's tables."""
    rows = import_module(f"kvaudit.parsers.{engine}.rows")
    tables = [one for one in vars(rows).values() if isinstance(one, Table)]
    return [row.example for table in tables for row in table.rows]


def _rows() -> Iterator[Seed]:
    """Per engine a log of all its lines: in the order of the tables, and in two others."""
    for engine in ENGINES:
        lines = [f"{_PREFIXES.get(engine, '')}{line}" for line in examples(engine)]
        for number in range(3):
            yield Seed(f"{engine}.log", plain(lines))
            random.Random(number).shuffle(lines)  # noqa: S311 - an order, no secret


def _wrapped() -> Iterator[Seed]:
    for write in WRAPPERS.values():
        yield Seed("server.log", write(LOG))
    for encode in ENCODINGS.values():
        yield Seed("server.log", encode(plain(LOG)))
    for compress in COMPRESSIONS.values():
        yield Seed("server.log.z", compress(plain(LOG)))
    members = {"server.log": plain(LOG), "config.json": DOCUMENTS["config.json"].encode()}
    yield Seed("run.tar", tar_of(members))
    yield Seed("run.zip", zip_of(members))


def _weights() -> Iterator[Seed]:
    yield Seed("model.gguf", llama_gguf().numbers("llama.rope", [1, 2, 3]).number("general.file_type", 15).build())
    yield Seed("model.safetensors", safetensors(decoder(2, scale={"k_scale": ONE["F32"], "v_scale": ONE["F32"]})))


def _saved() -> Iterator[Seed]:
    """A saved record, a saved report and what Python prints of arguments."""
    from kvaudit.audit.audit import Wishes, check
    from kvaudit.audit.rules import bundled_rules
    from kvaudit.record.build import Options, read_arm
    from kvaudit.redaction import Redactor
    from kvaudit.reports.document import document, to_json

    folder = ROOT / "fixtures" / "demo" / "bad" / "b"
    record = read_arm([str(folder)], Redactor(), Options(local_checkpoint=False))
    yield Seed("record.json", to_json(document(record, Redactor())).encode())
    report = check(record, bundled_rules(), Wishes())
    yield Seed("report.json", json.dumps(document(report, Redactor())).encode())


def _results() -> Iterator[Seed]:
    """A document of every format of result files."""
    from tests.parsers.results import samples

    for name, make in vars(samples).items():
        if isinstance(make, FunctionType) and not name.startswith("_") and not signature(make).parameters:
            made = make()
            yield Seed(f"{name}.json", (made if isinstance(made, str) else json.dumps(made, indent=2)).encode())
