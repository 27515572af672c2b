from __future__ import annotations

from typing import Any

import pytest

from kvaudit.parsers.checkpoint.generation import GenerationConfig


@pytest.mark.parametrize(
    ("sampling", "text"),
    [
        ({"top_p": 0.9, "temperature": 0.6, "top_k": 40}, "temperature=0.6, top_k=40, top_p=0.9"),
        ({"temperature": 1.0, "top_p": 1, "repetition_penalty": 1.0, "min_p": 0.0, "top_k": 0}, "none"),
        ({"max_new_tokens": 512, "max_length": 99}, "max_new_tokens=512"),
        ({"temperature": 0}, "temperature=0"),
        ({"temperature": "0.6", "top_k": None, "top_p": [1], "min_p": True}, "none"),
        ({}, "none"),
    ],
)
def test_the_sampling_defaults_that_change_something(source_of: Any, sampling: dict[str, Any], text: str) -> None:
    reading = GenerationConfig().read(source_of({"eos_token_id": 2, "do_sample": True} | sampling))
    stated = next(fact for fact in reading.facts if fact.field == "model.generation_config")
    assert (stated.stage, stated.value) == ("stated", text)
    keys = [part.partition("=")[0] for part in text.split(", ")] if text != "none" else []
    assert [origin.pointer for origin in stated.origins] == ([f"/{key}" for key in keys] or [""])
    for origin, key in zip(stated.origins, keys, strict=False):
        assert origin.excerpt.startswith(f'"{key}"')
