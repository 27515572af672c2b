from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.index import SafetensorsIndex
from kvaudit.parsers.facts import Fact

WEIGHTS = [
    "model.layers.0.self_attn.k_proj.weight",
    "model.layers.0.self_attn.k_proj.weight_scale",
    "model.layers.0.self_attn.v_proj.input_scale",
    "model.layers.0.self_attn.q_scale",
    "model.layers.0.mlp.down_proj.weight_scale_inv",
]


def scales(source_of: Any, names: list[str]) -> Fact:
    index = {"metadata": {"total_size": 3 << 30}, "weight_map": dict.fromkeys(names, "model-00001-of-00001.safetensors")}
    (found,) = [fact for fact in SafetensorsIndex().read(source_of(index)).facts if fact.field == "clue.kv_scales"]
    return found


@pytest.mark.parametrize(
    ("names", "keys", "values", "scheme"),
    [
        (
            ["model.layers.0.self_attn.k_scale", "model.layers.0.self_attn.v_scale"],
            ["model.layers.0"],
            ["model.layers.0"],
            "attention",
        ),
        (["model.layers.3.self_attn.k_proj.k_scale"], ["model.layers.3"], [], "projection"),
        (["model.layers.1.self_attn.qkv_proj.v_scale"], [], ["model.layers.1"], "fused"),
        (
            ["a.layers.0.self_attn.k_proj.output_scale", "a.layers.0.self_attn.v_proj.output_scale"],
            ["a.layers.0"],
            ["a.layers.0"],
            "output",
        ),
        (
            ["a.layers.0.self_attn.kv_scale", "a.layers.1.self_attn.kv_scale"],
            ["a.layers.0", "a.layers.1"],
            ["a.layers.0", "a.layers.1"],
            "joint",
        ),
        (["backbone.layers.7.mixer.v_proj.v_scale"], [], ["backbone.layers.7"], "projection"),
        (["a.layers.2.self_attn.k_cache.scale", "a.layers.2.self_attn.v_cache.scale"], ["a.layers.2"], ["a.layers.2"], "cache"),
        (["self_attn.k_scale"], ["self_attn"], [], "attention"),
    ],
)
def test_kv_scales_are_known_by_their_names(
    source_of: Any, names: list[str], keys: list[str], values: list[str], scheme: str
) -> None:
    fact = scales(source_of, WEIGHTS + names)
    assert (fact.stage, fact.value["k"], fact.value["v"], fact.value["schemes"]) == ("stated", keys, values, [scheme])
    assert all(origin.excerpt.startswith('"') and origin.excerpt.split('"')[1] in names for origin in fact.origins)


def test_weight_scales_and_query_scales_are_no_kv_scales(source_of: Any) -> None:
    fact = scales(source_of, WEIGHTS)
    assert (fact.value["k"], fact.value["v"], fact.value["q"], fact.value["tensors"]) == ([], [], 1, 5)
    assert fact.value["attention_layers"] == ["model.layers.0"]
    assert fact.origins[0].pointer == "/weight_map"


def test_towers_for_images_have_no_kv_cache(source_of: Any) -> None:
    fact = scales(
        source_of, ["visual.blocks.3.attn.qkv.weight", "visual.blocks.3.attn.k_scale", "model.layers.0.self_attn.k_proj.weight"]
    )
    assert (fact.value["k"], fact.value["attention_layers"]) == ([], ["model.layers.0"])


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
