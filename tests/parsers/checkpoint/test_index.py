from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint import SafetensorsIndex
from kvaudit.parsers.facts import Fact

WEIGHTS = [
    "model.layers.0.self_attn.k_proj.weight",
    "model.layers.0.self_attn.k_proj.weight_scale",
    "model.layers.0.self_attn.v_proj.input_scale",
    "model.layers.0.self_attn.q_scale",
    "model.layers.0.mlp.down_proj.weight_scale_inv",
]


def scales(source_of: Any, names: list[str]) -> list[Fact]:
    index = {"metadata": {"total_size": 3 << 30}, "weight_map": dict.fromkeys(names, "model-00001-of-00001.safetensors")}
    return [fact for fact in SafetensorsIndex().read(source_of(index)).facts if fact.field == "kv_cache.scales"]


@pytest.mark.parametrize(
    ("names", "how"),
    [
        (["model.layers.0.self_attn.k_scale", "model.layers.0.self_attn.v_scale"], "1 K scales and 1 V scales by name"),
        (["model.layers.0.self_attn.k_proj.k_scale"], "1 K scales and 0 V scales by name"),
        (["a.self_attn.k_proj.output_scale", "a.self_attn.v_proj.output_scale"], "1 K scales and 1 V scales by name"),
        (["a.self_attn.kv_scale", "b.self_attn.kv_scale"], "2 K scales and 2 V scales by name"),
        (["backbone.layers.7.mixer.v_proj.v_scale"], "0 K scales and 1 V scales by name"),
        (["a.self_attn.k_cache.scale", "a.self_attn.v_cache.scale"], "1 K scales and 1 V scales by name"),
    ],
)
def test_kv_scales_are_known_by_their_names(source_of: Any, names: list[str], how: str) -> None:
    (fact,) = scales(source_of, WEIGHTS + names)
    assert (fact.stage, fact.value, fact.how) == ("stated", "checkpoint", how)
    assert all(origin.excerpt.startswith('"') and origin.excerpt.split('"')[1] in names for origin in fact.origins)


def test_weight_scales_are_no_kv_scales(source_of: Any) -> None:
    (fact,) = scales(source_of, WEIGHTS)
    assert (fact.value, fact.how) == ("none", "no KV scale among 5 tensor names")
    assert fact.origins[0].pointer == "/weight_map"


@pytest.mark.parametrize("weight_map", [{}, None, []])
def test_an_index_without_names_states_nothing_about_scales(source_of: Any, weight_map: Any) -> None:
    reading = SafetensorsIndex().read(source_of({"metadata": {"total_size": 1}, "weight_map": weight_map}))
    assert [fact.field for fact in reading.facts] == ["clue.checkpoint_path"]


@pytest.mark.parametrize(
    ("metadata", "notes"),
    [
        ({"total_size": 3 << 30}, ["checkpoint size 3.00 GiB (metadata.total_size 3221225472)"]),
        ({"total_size": "x"}, []),
        (None, []),
    ],
)
def test_the_total_size_is_noted(source_of: Any, metadata: Any, notes: list[str]) -> None:
    assert SafetensorsIndex().read(source_of({"metadata": metadata, "weight_map": {"a": "b"}})).notes == notes
