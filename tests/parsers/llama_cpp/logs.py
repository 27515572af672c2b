"""Shared by the llama.cpp and Ollama tests: a log as text becomes a scanned source and a reading."""

from __future__ import annotations

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.llama_cpp.parser import LlamaCppLog
from kvaudit.parsers.ollama.parser import OllamaLog
from kvaudit.sources.scan import Hints
from kvaudit.sources.source import Source
from tests.parsers.engine_logs import scanned

LLAMA_CPP, OLLAMA = LlamaCppLog(), OllamaLog()
_HINTS = Hints((*LLAMA_CPP.hints, *OLLAMA.hints), (*LLAMA_CPP.periodic_hints, *OLLAMA.periodic_hints))
MODEL = "/models/atlas-8b-q4_k_m.gguf"


def source_of(text: str, path: str = "server.log") -> Source:
    """A scanned source of a document given as text."""
    return scanned(_HINTS, text, path)


def log(*lines: str) -> str:
    """Lines as a document."""
    return "\n".join(lines) + "\n"


def read(*lines: str) -> Reading:
    """The reading of a llama.cpp log given by its lines."""
    return LLAMA_CPP.read(source_of(log(*lines)))


def serve(*lines: str) -> Reading:
    """The reading of an Ollama log given by its lines."""
    return OLLAMA.read(source_of(log(*lines)))


def begun(build: str = "7811 (3f9ac2d41)", model: str = MODEL) -> list[str]:
    """A server up to its weights: 4.62 GiB, all of 33 layers on one GPU."""
    return [
        f"build: {build} with GNU 13.3.0 for Linux x86_64",
        "main: loading model",
        f"srv    load_model: loading model '{model}'",
        "llama_model_load_from_file_impl: using device CUDA0 (NVIDIA L4) (0000:21:00.0) - 22480 MiB free",
        f"llama_model_loader: loaded meta data with 31 key-value pairs and 291 tensors from {model} (version GGUF V3 (latest))",
        "print_info: file type   = Q4_K - Medium",
        "print_info: file size   = 4.62 GiB (4.94 BPW) ",
        "print_info: arch             = llama",
        "print_info: n_ctx_train      = 131072",
        "load_tensors: offloaded 33/33 layers to GPU",
        "load_tensors:   CPU_Mapped model buffer size =   283.00 MiB",
        "load_tensors:        CUDA0 model buffer size =  4447.88 MiB",
    ]


def context(tokens: int = 16384, sequences: int = 1, flash: str = "auto") -> list[str]:
    """The sizes of a context that is divided among its sequences."""
    return [
        "llama_context: constructing llama_context",
        f"llama_context: n_seq_max     = {sequences}",
        f"llama_context: n_ctx         = {tokens}",
        f"llama_context: n_ctx_seq     = {tokens // sequences}",
        "llama_context: n_batch       = 2048",
        f"llama_context: flash_attn    = {flash}",
    ]


def cache(cells: int = 16384, streams: int = 1, kind: str = "f16", mib: float = 2048.0, device: str = "CUDA0") -> list[str]:
    """A cache of 32 layers: 16,384 tokens × 32 layers × 1,024 elements × 2 bytes × 2 (K and V) = 2,048 MiB in f16."""
    half = mib / 2
    return [
        f"llama_kv_cache:      {device} KV buffer size = {mib:8.2f} MiB",
        f"llama_kv_cache: size = {mib:7.2f} MiB ({cells:6d} cells,  32 layers, {streams:2d}/{streams} seqs), "
        f"K ({kind}): {half:7.2f} MiB, V ({kind}): {half:7.2f} MiB",
    ]


SERVING = ["main: model loaded", "main: server is listening on http://127.0.0.1:8080", "srv  update_slots: all slots are idle"]
