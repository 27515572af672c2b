"""Shared by the SGLang tests: a log as text becomes a scanned source and a reading; arguments lines of both syntaxes."""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.facts import Reading, Start
from kvaudit.parsers.sglang.parser import SglangLog
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source
from tests.parsers.engine_logs import scanned

_PARSER = SglangLog()
_HINTS = Hints(_PARSER.hints, _PARSER.periodic_hints)

DEFAULTS: dict[str, Any] = {
    "model_path": "acme/tiny-llama",
    "trust_remote_code": False,
    "context_length": None,
    "revision": None,
    "dtype": "bfloat16",
    "quantization": None,
    "kv_cache_dtype": "auto",
    "mem_fraction_static": 0.8,
    "max_running_requests": None,
    "chunked_prefill_size": 8192,
    "max_prefill_tokens": 16384,
    "schedule_policy": "fcfs",
    "page_size": 1,
    "device": "cuda",
    "tp_size": 1,
    "pp_size": 1,
    "random_seed": 11,
    "api_key": "sk-fixture-0123456789abcdef",
    "dp_size": 1,
    "json_model_override_args": "{}",
    "attention_backend": "flashinfer",
    "speculative_algorithm": None,
    "ep_size": 1,
    "moe_runner_backend": "auto",
    "enable_hierarchical_cache": False,
    "disable_radix_cache": False,
    "cuda_graph_max_bs": 8,
    "disable_cuda_graph": False,
    "disable_overlap_schedule": False,
    "enable_dp_attention": False,
    "disaggregation_mode": "null",
    "disaggregation_transfer_backend": "mooncake",
}


def source_of(text: str, path: str = "server.log") -> Source:
    """A scanned source of a document given as text."""
    return scanned(_HINTS, text, path)


def read_log(*lines: str) -> Reading:
    """The reading of a log given as lines (or as whole text)."""
    return _PARSER.read(source_of("\n".join(lines) + "\n"))


def only_start(*lines: str) -> Start:
    """The one start of a log."""
    starts = read_log(*lines).starts
    assert len(starts) == 1
    return starts[0]


def stamped(message: str, ranks: str = "") -> str:
    """A line as SGLang's logger writes it."""
    return f"[2026-03-14 09:26:53{' ' if ranks else ''}{ranks}] {message}"


def arguments(**changes: Any) -> str:
    """The arguments line of 0.3 to 0.5.18: the repr of a dataclass."""
    body = ", ".join(f"{key}={value!r}" for key, value in {**DEFAULTS, **changes}.items())
    return stamped(f"server_args=ServerArgs({body})")


def arguments_as_dict(**changes: Any) -> str:
    """The arguments line since 0.5.19: the repr of a dict."""
    return stamped(f"server_args={ {**DEFAULTS, **changes}!r}")


def capacity(tokens: int = 131_072, ranks: str = "", chunk: int = 8192, requests: int = 2048) -> str:
    """The capacity line of 0.4.7 and newer."""
    return stamped(
        f"max_total_num_tokens={tokens}, chunked_prefill_size={chunk}, max_prefill_tokens=16384, "
        f"max_running_requests={requests}, context_len=32768, available_gpu_mem=11.20 GB",
        ranks,
    )


READY = stamped("The server is fired up and ready to roll!")


def served(tokens: int = 131_072, **changes: Any) -> list[str]:
    """A whole start on one GPU that becomes ready; 16 GiB ÷ 131,072 tokens = 131,072 bytes per token."""
    return [
        arguments(**changes),
        stamped("Load weight begin. avail mem=78.60 GB"),
        stamped("Load weight end. elapsed=9.10 s, type=LlamaForCausalLM, avail mem=63.50 GB, mem usage=15.10 GB."),
        stamped("Using KV cache dtype: torch.bfloat16"),
        stamped(f"KV Cache is allocated. #tokens: {tokens}, K size: 8.00 GB, V size: 8.00 GB"),
        stamped("Memory pool end. avail mem=47.00 GB"),
        stamped("Capture cuda graph begin. This can take up to several minutes. avail mem=46.50 GB"),
        stamped("Capture cuda graph bs [1, 2, 4, 8]"),
        stamped("Capture cuda graph end. Time elapsed: 4.10 s. mem usage=0.62 GB. avail mem=45.88 GB."),
        capacity(tokens),
        stamped("INFO:     Application startup complete."),
        READY,
    ]
