"""Errors of rule files name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.audit.rule_lines import line_of
from kvaudit.audit.rule_schema import check_folder
from kvaudit.bundled import rules_folder
from kvaudit.errors import RuleError

BUNDLED = rules_folder() / "kv-cache" / "hidden-fp8-kv.yaml"


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ((), 2),
        (("when",), 3),
        (("when", "all", 1), 5),
        (("when", "all", 1, "differs"), 6),
        (("when", "any"), 3),
        (("nothing",), 2),
    ],
)
def test_the_line_of_a_part(place: tuple[str | int, ...], line: int, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("# a rule\nid: x\nwhen: {all: [\n  {same: {}},\n  {\n  differs: {}}]}\n")
    assert line_of(path, place) == line


def test_no_line_where_there_is_no_file_and_no_yaml(tmp_path: Path) -> None:
    assert line_of(tmp_path / "nothing.yaml", ("id",)) is None
    (tmp_path / "x.yaml").write_text("a: [")
    assert line_of(tmp_path / "x.yaml", ("a",)) is None


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("severity: error", "severity: fatal", "severity"),
        ("field: kv_cache.dtype, bits: 16", "field: kv_cache.dtpe, bits: 16", "narrower_than"),
        ("Arm {arm} keeps", "Arm {arms} keeps", "message"),
    ],
)
def test_a_user_rule_that_is_wrong_is_named_with_its_line(old: str, new: str, part: str, tmp_path: Path) -> None:
    text = BUNDLED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / BUNDLED.name
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    lines = path.read_text().splitlines()
    with pytest.raises(RuleError) as caught:
        check_folder(tmp_path)
    number = int(str(caught.value).removeprefix(f"{path}:").partition(":")[0])
    assert any(part in line or new in line for line in lines[number - 1 : number + 1]), caught.value
