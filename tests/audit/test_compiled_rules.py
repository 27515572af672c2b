"""The compiled rules say what the YAML files say, and count only as long as they do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kvaudit import compiled as compiling
from kvaudit.audit.rules import bundled_rules, load_rules, with_examples
from kvaudit.bundled import rules_folder
from kvaudit.compiled import NAME, compiled, digest
from kvaudit.record.engine_table import engine_table
from tests.generate import compile_rules


def test_the_compiled_file_is_the_one_that_would_be_made_now() -> None:
    assert (rules_folder() / NAME).read_text(encoding="utf-8") == compile_rules(), "run `make generate`"
    assert compiled() is not None


def test_compiled_rules_are_the_rules_of_the_files() -> None:
    assert bundled_rules(examples=False) == tuple(replace(rule, examples=[]) for rule in load_rules(rules_folder()))
    assert tuple(with_examples(rule) for rule in bundled_rules(examples=False)) == load_rules(rules_folder())
    assert len({rule.category for rule in bundled_rules(examples=False)}) == 7


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the rules folder in place of the bundled one."""
    folder = tmp_path / "rules"
    shutil.copytree(rules_folder(), folder)
    monkeypatch.setattr(compiling, "rules_folder", lambda: folder)
    for cached in (compiled, engine_table):
        cached.cache_clear()
    yield folder
    for cached in (compiled, engine_table):
        cached.cache_clear()


def test_a_changed_rule_file_makes_the_compiled_one_stale(copied: Path) -> None:
    assert compiled() is not None
    compiled.cache_clear()
    changed = next(copied.glob("kv-cache/*.yaml"))
    changed.write_text(changed.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    assert compiled() is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"digest": null}'])
def test_a_damaged_compiled_file_is_passed_over(copied: Path, text: str) -> None:
    (copied / NAME).write_text(text, encoding="utf-8")
    assert compiled() is None


def test_without_a_compiled_file_the_yaml_files_are_read(copied: Path) -> None:
    (copied / NAME).unlink()
    assert compiled() is None
    assert engine_table("vllm")["auto_kv_dtype"]
    assert engine_table("no_such_engine") == {}


def test_the_digest_sees_names_and_bytes(copied: Path) -> None:
    before = digest(copied)
    one = next(copied.glob("gpu/*.yaml"))
    one.rename(one.with_name("renamed.yaml"))
    renamed = digest(copied)
    assert before != renamed
    assert json.loads((copied / NAME).read_text(encoding="utf-8"))["digest"] == before
