"""Any mutant of any document through every command and format: read or refused, never a crash, and no output does harm.

A few of them, the same every time; `python -m benchmarks.fuzz` is the same in bulk.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.examining import examine
from tests.fuzz.mutations import FRAGMENTS, mutated
from tests.fuzz.seeds import Seed, seeds

PREFIX = b"INFO 05-17 11:42:07 [core.py:110] Initializing a V1 LLM engine (v0.21.0) with config: "
BOUNDED = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
KINDS = {
    "logs": (".log", ".jsonl"),
    "json": (".json",),
    "packed": (".z", ".tar", ".zip", ".gz", ".gguf", ".safetensors"),
}
"""Endings of names; `others` are all the rest."""


def of_kind(kind: str) -> list[Seed]:
    known = tuple(ending for endings in KINDS.values() for ending in endings)
    return [seed for seed in seeds() if (seed.name.endswith(KINDS[kind]) if kind in KINDS else not seed.name.endswith(known))]


@pytest.mark.parametrize("kind", [*KINDS, "others"])
@BOUNDED
@given(number=st.integers(0, 1 << 40))
def test_any_mutant(kind: str, number: int, tmp_path: Path) -> None:
    chance = Random(number)  # noqa: S311 - reproducible, no secret
    seed, other = chance.choice(of_kind(kind)), chance.choice(seeds())
    path = tmp_path / seed.name
    path.write_bytes(mutated(seed.data, other.data, chance))
    assert examine(str(path), chance, formats=1).faults == ()


@BOUNDED
@given(data=st.binary(max_size=2_000), name=st.sampled_from(["server.log", "config.json", "a.gguf", "x"]))
def test_any_bytes(data: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert examine(str(path), Random(0), formats=1).faults == ()  # noqa: S311


@BOUNDED
@given(words=st.lists(st.sampled_from(FRAGMENTS), max_size=30), joined=st.sampled_from([b"", b" ", b"\n", b"\r", b"\t"]))
def test_any_order_of_hostile_words(words: list[bytes], joined: bytes, tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(PREFIX + joined.join(words))
    assert examine(str(path), Random(len(words)), formats=1).faults == ()  # noqa: S311


@pytest.mark.parametrize("fragment", [one for one in FRAGMENTS if len(one) < 200], ids=lambda one: repr(one)[:30])
def test_every_hostile_word_in_every_format(fragment: bytes, tmp_path: Path) -> None:
    """In the name of the model and in a notice, which all formats show."""
    seed = next(one for one in seeds() if one.name == "vllm.log")
    data = seed.data.replace(b"acme/", b"acme/" + fragment).replace(b"INFO ", b"WARNING ")
    path = tmp_path / "server.log"
    path.write_bytes(data)
    chance = Random(len(fragment))  # noqa: S311
    assert examine(str(path), chance, formats=2).faults == ()


def test_a_number_between_two_results(tmp_path: Path) -> None:
    """Found by a mutant: the second value of the file is a bare number, and what follows it is no JSON."""
    seed = next(one for one in seeds() if one.name == "vllm_serve.json")
    path = tmp_path / "results.json"
    path.write_bytes(seed.data + b'\n36519514828,\n "request_goodput": null,\n')
    assert examine(str(path), Random(0), formats=1).faults == ()  # noqa: S311


def test_mutants_are_the_same_every_time() -> None:
    seed = Seed("a.log", b"INFO model='acme/a', seed=0\n" * 20)
    made = [mutated(seed.data, b"other\n", Random(7)) for _ in range(2)]  # noqa: S311
    assert made[0] == made[1] != seed.data
