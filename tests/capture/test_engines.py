"""Which engine answers: by the owner of its models, by its metrics, by its keys, by its head."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kvaudit.capture.engines import ENDPOINTS, engine_of
from kvaudit.capture.fetching import Answer, checked_url
from kvaudit.errors import UsageError


def answer(path: str, body: Any, status: int = 200, **headers: str) -> dict[str, Answer]:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return {path: Answer(path, status, data, 0.1, headers)}


@pytest.mark.parametrize(
    ("answers", "engine"),
    [
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "vllm"}]}), "vllm"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "sglang"}]}), "sglang"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "llamacpp"}]}), "llama_cpp"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "tensorrt_llm"}]}), "tensorrt_llm"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "lmdeploy"}]}), "lmdeploy"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "library"}]}), "ollama"),
        (answer("/metrics", "# TYPE vllm:x gauge\nvllm:x 1.0\n"), "vllm"),
        (answer("/metrics", "# TYPE tgi_x gauge\ntgi_x 1.0\n"), "tgi"),
        (answer("/metrics", "trtllm_kv_cache_hit_rate 0.5\n"), "tensorrt_llm"),
        (answer("/props", {"build_info": "b1-1234567", "default_generation_settings": {}}), "llama_cpp"),
        (answer("/v1/models", "{}", 401, server="llama.cpp"), "llama_cpp"),
        (answer("/get_server_info", {"mem_fraction_static": 0.8}), "sglang"),
        (answer("/v1/models", {"data": [{"id": "a", "owned_by": "someone"}]}), None),
        (answer("/v1/models", {"data": "vllm"}), None),
        (answer("/v1/models", "<html>vllm</html>"), None),
        (answer("/metrics", "node_cpu_seconds_total 1.0\n"), None),
        (answer("/props", [1]), None),
    ],
)
def test_the_engine_of_an_answer(answers: dict[str, Answer], engine: str | None) -> None:
    found = engine_of(answers)
    assert (found[0] if found else None) == engine


def test_every_engine_has_its_endpoints_and_each_file_one_name() -> None:
    for endpoints in ENDPOINTS.values():
        files = [endpoint.file for endpoint in endpoints]
        assert len(files) == len(set(files))
        assert all(path.startswith("/") for endpoint in endpoints for path in endpoint.paths)


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://serving.example/atlas/v1", "https://serving.example/atlas"),
    ],
)
def test_the_base_of_an_address(given: str, base: str) -> None:
    assert checked_url(given) == base


def test_a_login_in_an_address_is_refused_without_being_repeated() -> None:
    with pytest.raises(UsageError) as error:
        checked_url("http://ada:hunter2@127.0.0.1:8000")
    assert "hunter2" not in str(error.value)
