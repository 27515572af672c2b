"""Servers for tests that answer as engines do: the shapes of vLLM, SGLang and llama.cpp, invented values that hold together.

The model is that of `model_files.LLAMA`: 1024 elements a token, so 1 GiB of KV cache holds 524,288 tokens in 16 bits and
1,048,576 in 8.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GIB = 1 << 30
TOKENS_16, TOKENS_8 = GIB // 2048, GIB // 1024
SECRET = "hf_" + "Zq7" * 8  # made up; it has the shape that must be masked


@dataclass
class Fake:
    """Status and body by path. `slow` paths wait, `dying` closes the connection from the n-th request on, `key` is wanted."""

    routes: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    slow: dict[str, float] = field(default_factory=dict)
    dribble: set[str] = field(default_factory=set)
    short: set[str] = field(default_factory=set)
    redirects: dict[str, str] = field(default_factory=dict)
    dying: int = 0
    key: str = ""
    asked: list[str] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)

    def json(self, path: str, value: Any) -> None:
        self.routes[path] = (200, json.dumps(value).encode())


@contextmanager
def serving(fake: Fake) -> Iterator[str]:
    """The address of a running fake."""

    class Handler(_Handler):
        held = fake

    server = _Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    held: Fake
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        fake = self.held
        fake.asked.append(self.path)
        fake.methods.add(self.command)
        if fake.dying and len(fake.asked) >= fake.dying:
            self.close_connection = True
            return
        time.sleep(fake.slow.get(self.path, 0))
        status, body = fake.routes.get(self.path, (404, b'{"detail":"Not Found"}'))
        if fake.key and self.headers.get("Authorization") != f"Bearer {fake.key}":
            status, body = 401, b'{"error":"Unauthorized"}'
        if self.path in fake.redirects:
            status, body = 307, b""
            self._send(status, body, {"Location": fake.redirects[self.path]})
            return
        self._send(status, body, {})

    def _send(self, status: int, body: bytes, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**self.held.headers, **more, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.path in self.held.dribble:
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.05)
        elif self.path in self.held.short:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def vllm_metrics(tokens: int = TOKENS_16, queries: int = 4000, hits: int = 1000, started: float = 1795900000.0) -> bytes:
    labels = (
        f'block_size="16",cache_dtype="auto",enable_prefix_caching="True",engine="0",gpu_memory_utilization="0.9",'
        f'kv_cache_memory_bytes="{GIB}",kv_cache_size_tokens="{tokens}",num_gpu_blocks="{tokens // 16}"'
    )
    lines = [
        "# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.",
        "# TYPE process_start_time_seconds gauge",
        f"process_start_time_seconds {started}",
        "# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig",
        "# TYPE vllm:cache_config_info gauge",
        f"vllm:cache_config_info{{{labels}}} 1.0",
        "# TYPE vllm:num_preemptions_total counter",
        'vllm:num_preemptions_total{engine="0",model_name="atlas"} 0.0',
        "# TYPE vllm:prefix_cache_queries_total counter",
        f'vllm:prefix_cache_queries_total{{engine="0",model_name="atlas"}} {queries}.0',
        "# TYPE vllm:prefix_cache_hits_total counter",
        f'vllm:prefix_cache_hits_total{{engine="0",model_name="atlas"}} {hits}.0',
        "# TYPE vllm:num_requests_running gauge",
        'vllm:num_requests_running{engine="0",model_name="atlas"} 0.0',
        "# TYPE vllm:request_success_total counter",
        f'vllm:request_success_total{{engine="0",finished_reason="length",model_name="atlas"}} {queries // 100}.0',
    ]
    return "\n".join([*lines, ""]).encode()


def vllm(model: str = "/srv/models/atlas-1b", tokens: int = TOKENS_16, dev: bool = True) -> Fake:
    fake = Fake()
    listed = {"id": "atlas", "object": "model", "created": 1795900100, "owned_by": "vllm", "root": model, "parent": None}
    fake.json("/v1/models", {"object": "list", "data": [{**listed, "max_model_len": 8192}]})
    fake.json("/version", {"version": "0.32.0"})
    fake.routes["/metrics"] = (200, vllm_metrics(tokens))
    if dev:
        fake.json("/server_info?config_format=json", vllm_info(model, tokens))
    return fake


def vllm_info(model: str, tokens: int) -> dict[str, Any]:
    model_config = {"model": model, "dtype": "torch.bfloat16", "max_model_len": 8192, "quantization": None, "revision": None}
    more = {"seed": 0, "enforce_eager": False, "trust_remote_code": False, "hf_token": SECRET}
    cache = {"block_size": 16, "cache_dtype": "auto", "enable_prefix_caching": True, "gpu_memory_utilization": 0.9}
    pool = {"num_gpu_blocks": tokens // 16, "kv_cache_size_tokens": tokens, "kv_cache_memory_bytes": GIB}
    parallel = {"tensor_parallel_size": 1, "pipeline_parallel_size": 1, "data_parallel_size": 1, "master_port": 29501}
    scheduler = {"max_num_seqs": 128, "max_num_batched_tokens": 2048, "enable_chunked_prefill": True, "policy": "fcfs"}
    config = {
        "model_config": {**model_config, **more},
        "cache_config": {**cache, **pool},
        "parallel_config": parallel,
        "scheduler_config": scheduler,
        "device_config": {"device": "cuda"},
        "speculative_config": None,
        "compilation_config": {"cudagraph_mode": [2, 1], "max_cudagraph_capture_size": 512},
    }
    return {"vllm_config": config, "vllm_env": {"VLLM_USE_V1": True}, "system_env": {"env_vars": f"HF_TOKEN={SECRET}\n"}}


def sglang(version: str = "0.5.9", dtype: str = "auto", settled: str = "fp8_e4m3") -> Fake:
    fake = Fake()
    path = "/srv/models/atlas-1b"
    models = [{"id": path, "object": "model", "created": 1795900100, "owned_by": "sglang", "root": path, "max_model_len": 8192}]
    fake.json("/v1/models", {"object": "list", "data": models})
    arguments = {
        "model_path": path,
        "tokenizer_path": path,
        "dtype": "auto",
        "kv_cache_dtype": dtype,
        "mem_fraction_static": 0.85,
        "disable_radix_cache": False,
        "schedule_policy": "fcfs",
        "chunked_prefill_size": 8192,
        "tp_size": 1,
        "pp_size": 1,
        "dp_size": 1,
        "page_size": 1,
        "random_seed": 42,
        "api_key": "letmein-4711",
        "attention_backend": "flashinfer",
    }
    memory = {"weight": 2.31, "kvcache": 1.0, "token_capacity": TOKENS_8, "graph": 0.2}
    state = {**arguments, "kv_cache_dtype": settled, "memory_usage": memory, "effective_max_running_requests_per_dp": 64}
    info = {"status": "ready", "max_total_num_tokens": TOKENS_8, "internal_states": [state], "version": version}
    fake.json("/server_info", {**arguments, **info})
    fake.json("/model_info", {"model_path": path, "tokenizer_path": path, "is_generation": True})
    return fake


def llama_cpp(slots: int = 4, length: int = 2048) -> Fake:
    fake = Fake(headers={"Server": "llama.cpp"})
    meta = {"n_ctx": length, "n_ctx_train": 8192, "n_params": 2377984, "ftype": "F16"}
    models = [{"id": "atlas.gguf", "object": "model", "created": 1795900100, "owned_by": "llamacpp", "meta": meta}]
    fake.json("/v1/models", {"models": [], "object": "list", "data": models})
    settings = {"params": {"seed": 4294967295, "speculative.types": "none"}, "n_ctx": length}
    props = {"total_slots": slots, "model_path": "atlas.gguf", "model_ftype": "F16", "build_info": "b11434-515e85511"}
    fake.json("/props", {"default_generation_settings": settings, **props})
    fake.json("/slots", [{"id": slot, "n_ctx": length, "speculative": False, "is_processing": False} for slot in range(slots)])
    fake.routes["/metrics"] = (501, b'{"error":{"message":"This server does not support metrics endpoint"}}')
    return fake
