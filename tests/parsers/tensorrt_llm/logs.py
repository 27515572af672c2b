"""Shared by the TensorRT-LLM tests: a log as text becomes a scanned source and a reading."""

from __future__ import annotations

from kvaudit.parsers.facts import Reading, Start
from kvaudit.parsers.tensorrt_llm.parser import TensorRtLlmLog
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source
from tests.parsers.engine_logs import scanned

_PARSER = TensorRtLlmLog()
_HINTS = Hints(_PARSER.hints, _PARSER.periodic_hints)


def source_of(text: str, path: str = "server.log") -> Source:
    """A scanned source of a document given as text."""
    return scanned(_HINTS, text, path)


def read_log(text: str) -> Reading:
    """The reading of a log given as text."""
    return _PARSER.read(source_of(text))


def only_start(*lines: str) -> Start:
    """The one start of a log of these lines."""
    (start,) = read_log("\n".join(lines) + "\n").starts
    return start


def python(message: str, level: str = "I", rank: int | None = None) -> str:
    """A line as Python's logger writes it."""
    tag = "" if rank is None else f" [RANK {rank}]"
    return f"[03/14/2026-09:26:53] [TRT-LLM]{tag} [{level}] {message}"


def native(message: str, level: str = "INFO") -> str:
    """A line as the native logger writes it to 1.2."""
    return f"[TensorRT-LLM][{level}] {message}"


BANNER = "[TensorRT-LLM] TensorRT LLM version: 1.2.0"
BACKEND = python("Using LLM with PyTorch backend")
LOADED = "Model init total -- 9.12s"
READY = "INFO:     Application startup complete."


def pool(tokens: int, gib: float, *, window: int = 65537, length: int | None = 65537) -> list[str]:
    """The native lines of one allocation in blocks of 32 tokens."""
    last = "" if length is None else f", max sequence length={length}"
    shape = f"[window size={window}], tokens per block=32, primary blocks={tokens // 32}, secondary blocks=0{last}"
    return [
        native(f"Max KV cache blocks per sequence: 2049 {shape}"),
        native("Number of tokens per block: 32."),
        native(f"[MemUsageChange] Allocated {gib:.2f} GiB for max tokens in paged KV cache ({tokens})."),
    ]


def sizes(length: int = 65537, tokens: int = 8192, batch: int = 256) -> str:
    """The line of the sizes that hold."""
    return python(f"max_seq_len={length}, max_num_requests={batch}, max_num_tokens={tokens}, max_batch_size={batch}")


def budget(gib: float, cost: int, rank: int | None = None) -> str:
    """The line between the dry run and the allocation that serves."""
    return python(
        "Peak memory during memory usage profiling (torch + non-torch): 29.56 GiB, available KV cache memory when calculating "
        f"max tokens: {gib:.2f} GiB, fraction is set 0.8999999761581421, kv size is {cost}. device total memory 79.18 GiB, , "
        "tmp kv_mem 9.00 GiB",
        rank=rank,
    )


def served(tokens: int = 327_680, gib: float = 40.0) -> list[str]:
    """A whole start of one rank: 131,072 bytes a token, 73,728 tokens and 9 GiB in the dry run."""
    return [
        BANNER,
        BACKEND,
        BANNER,
        native("Refreshed the MPI local session"),
        python("Use 14.98 GB for model weights."),
        LOADED,
        *pool(73_728, 9.0),
        sizes(),
        budget(gib, 131_072),
        *pool(tokens, gib),
        sizes(),
        "INFO:     Started server process [4120]",
        READY,
    ]
