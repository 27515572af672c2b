"""Shared by the vLLM tests: a log as text becomes a scanned source and a reading."""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.vllm.parser import VllmLog
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source
from tests.parsers.engine_logs import scanned

_PARSER = VllmLog()
_HINTS = Hints(_PARSER.hints, _PARSER.periodic_hints)


def source_of(text: str, path: str = "server.log") -> Source:
    """A scanned source of a document given as text."""
    return scanned(_HINTS, text, path)


def read_log(text: str) -> Reading:
    """The reading of a log given as text."""
    return _PARSER.read(source_of(text))


def stamped(message: str, process: str = "", level: str = "INFO", file: str = "core.py") -> str:
    """A line as vLLM 0.10 and newer write it."""
    prefix = f"({process}) " if process else ""
    return f"{prefix}{level} 03-14 09:26:53 [{file}:10] {message}"


ENGINE_LINE = (
    "Initializing a V1 LLM engine (v0.24.0) with config: model='acme/tiny-llama', speculative_config=None, "
    "tokenizer='acme/tiny-llama', revision=None, trust_remote_code=False, dtype=torch.bfloat16, max_seq_len=8192, "
    "tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=1, quantization=None, enforce_eager=False, "
    "kv_cache_dtype=auto, device_config=cuda, seed=0, enable_prefix_caching=True, enable_chunked_prefill=True, "
    "compilation_config={'mode': <CompilationMode.VLLM_COMPILE: 3>, 'cudagraph_mode': "
    "<CUDAGraphMode.FULL_AND_PIECEWISE: (2, 1)>, 'max_cudagraph_capture_size': 512}, kernel_config=KernelConfig()"
)


def served(api: int, engine: int, tokens: str = "524,288", model: str = "acme/tiny-llama") -> str:
    """A whole start with two ranks that becomes ready; 32 GiB ÷ 524,288 tokens = 65,536 bytes per token and rank."""
    server, core = f"APIServer pid={api}", f"EngineCore pid={engine}"
    first, second = f"Worker_TP0 pid={engine + 1}", f"Worker_TP1 pid={engine + 2}"
    lines = [
        stamped(" ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.24.0", server, file="utils.py"),
        stamped(f"non-default args: {{'model': '{model}', 'tensor_parallel_size': 2, 'max_num_seqs': 64}}", server),
        stamped("Resolved architecture: LlamaForCausalLM", server, file="model.py"),
        stamped("Chunked prefill is enabled with max_num_batched_tokens=8192.", server),
        stamped(ENGINE_LINE.replace("acme/tiny-llama", model), core),
        stamped("Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN'].", first, file="cuda.py"),
        stamped("Model loading took 7.5 GiB memory and 3.210000 seconds", first),
        stamped("Model loading took 7.52 GiB memory and 3.310000 seconds", second),
        stamped("Available KV cache memory: 32.0 GiB", first),
        stamped(f"GPU KV cache size: {tokens} tokens", core),
        stamped("Maximum concurrency for 8,192 tokens per request: 64.00x", core),
        stamped("Graph capturing finished in 12 secs, took 0.61 GiB", first),
        stamped("Starting vLLM server on http://0.0.0.0:8000", server),
        f"({server}) INFO:     Started server process [{api}]",
        f"({server}) INFO:     Application startup complete.",
    ]
    return "\n".join(lines) + "\n"
