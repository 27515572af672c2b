from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.facts import Fact, Origin
from kvaudit.record.inspection.scales import Scales, scales_of

FOUR = {"layers": 4, "attention": "plain"}
ALL = [f"model.layers.{number}" for number in range(4)]


def listed(listing: str = "index", *, keys: Any = ALL, values: Any = ALL, attention: Any = ALL, **more: Any) -> Fact:
    value = {"listing": listing, "tensors": 100, "k": list(keys), "v": list(values), "attention_layers": list(attention), **more}
    return Fact(field="clue.kv_scales", stage="stated", value=value, origins=[Origin(file=f"{listing}.file", pointer="/x")])


def found(*clues: Fact, config: Any = FOUR) -> Scales:
    scales = scales_of(clues, config)
    assert scales is not None
    return scales


def test_no_list_of_names_says_nothing() -> None:
    assert scales_of([], FOUR) is None


@pytest.mark.parametrize(
    ("clue", "value", "how"),
    [
        (listed(), "checkpoint", "K scales in 4 and V scales in 4 of 4 layers with attention, among 100 tensor names"),
        (listed(keys=[], values=[]), "none", "no KV scale, among 100 tensor names"),
        (listed(keys=ALL[:3]), "mixed", "K scales in 3 and V scales in 4 of 4 layers with attention, among 100 tensor names"),
        (listed(values=[]), "mixed", "K scales in 4 and V scales in 0 of 4 layers with attention, among 100 tensor names"),
        (listed(attention=[]), "checkpoint", "K scales in 4 and V scales in 4 layers, among 100 tensor names"),
    ],
)
def test_an_index_lists_every_tensor(clue: Fact, value: str, how: str) -> None:
    scales = found(clue)
    assert (scales.value, scales.how) == (value, how)


def test_layers_of_the_draft_module_need_no_scales() -> None:
    own = ["mtp.layers.0", "model.layers.4"]
    assert found(listed(attention=ALL + own)).value == "checkpoint"
    assert found(listed(attention=ALL + own), config={}).attention == 5


def test_layers_without_attention_need_no_scales() -> None:
    config = {"layers": 4, "attention": "hybrid", "layer_types": ["linear_attention"] * 3 + ["full_attention"]}
    scales = found(listed(keys=ALL[3:], values=ALL[3:]), config=config)
    assert (scales.value, scales.attention) == ("checkpoint", 1)


@pytest.mark.parametrize(("ones", "value"), [(True, "default_1.0"), (False, "checkpoint"), (None, "checkpoint")])
def test_values_come_from_headers(ones: bool | None, value: str) -> None:
    assert found(listed("header", whole=True, ones=ones)).value == value


def test_scales_count_as_one_only_where_all_of_them_were_read() -> None:
    first = listed("header", keys=ALL[:2], values=ALL[:2], ones=True)
    second = listed("header", keys=ALL[2:], values=ALL[2:], ones=True)
    assert found(listed(), first).value == "checkpoint"
    assert found(listed(), first, second).value == "default_1.0"
    assert found(listed(), first, listed("header", keys=ALL[2:], values=ALL[2:], ones=False)).value == "checkpoint"


def test_a_part_of_the_files_proves_nothing_about_the_rest() -> None:
    part = listed("header", keys=[], values=[], attention=ALL[:2], whole=False)
    assert found(part).value is None
    assert "not all" in found(part).how
    some = listed("header", keys=ALL[:2], values=ALL[:2], attention=ALL[:2], whole=False)
    assert (found(some).value, found(some, config={}).value) == (None, None)


def test_all_parts_together_are_as_good_as_an_index() -> None:
    parts = [listed("header", keys=[name], values=[name], attention=[name], whole=False) for name in ALL]
    assert found(*parts).value == "checkpoint"


def test_the_evidence_is_where_scales_are_listed() -> None:
    without = listed("header", keys=[], values=[])
    assert found(without, listed()).origins[0].file == "index.file"
    assert found(without).origins[0].file == "header.file"
