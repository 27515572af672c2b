"""How engines and other programs call their processes. Data, with its look-ups.

Room: `record.tenants`. Titles as `nvidia-smi` prints them: full, cut at their left with dots, or cut after 15 characters. vLLM
sets titles since 0.9, SGLang since 0.4; before that both are plain Python.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern

_TITLES = {
    "vllm": LatePattern(r"^(?:VLLM::|ray::.*Worker|ray::IDLE$)|(?:^|/)vllm$"),
    "sglang": LatePattern(r"^sglang::"),
    "tensorrt_llm": LatePattern(r"(?:^|/)trtllm-(?:serve|bench|llmapi-launch)|mpi4py\.futures"),
    "llama_cpp": LatePattern(r"(?:^|[/\\])llama-(?:server|cli|bench)(?:\.exe)?(?: |$)"),
    "ollama": LatePattern(r"(?:^|[/\\])(?:ollama|ollama_llama_server|llama-server)(?:\.exe)?(?: |$)"),
    "tgi": LatePattern(r"(?:^|/)text-generation-(?:server|launcher|router)"),
    "lmdeploy": LatePattern(r"(?:^|/)lmdeploy"),
}
_ANY_ENGINE = LatePattern(
    r"^(?:VLLM::|sglang::|ray::.*Worker)|(?:^|[/\\])(?:vllm|llama-server|ollama(?:_llama_server)?|tritonserver|trtllm-serve|"
    r"text-generation-server|text-embeddings-router|lmdeploy)(?:\.exe)?(?: |$)"
)
_INTERPRETER = LatePattern(r"(?:^|[/\\])(?:python[0-9.]*|pt_main_thread|mpirun|ray)(?:\.exe)?(?: |$)|^pt_main_thread|^python")
_RANK = LatePattern(r"(?:TP|PP|DP|rank)_?\d+")

ONE_PROCESS = frozenset({"llama_cpp", "ollama"})
"""Engines whose logs print no process ids and whose model is served by one process on all of its GPUs."""


def is_titled(name: str | None, engine: str | None) -> bool:
    """Whether a process is titled like a process of this engine that holds GPU memory."""
    pattern = _TITLES.get(engine or "")
    return bool(name) and pattern is not None and pattern.search(str(name)) is not None


def is_engine(name: str | None) -> bool:
    """Whether a process is titled like a server of any engine."""
    return bool(name) and _ANY_ENGINE.search(str(name)) is not None


def is_interpreter(name: str | None) -> bool:
    """Whether the title leaves open what runs: an interpreter, or no name at all."""
    return not name or _INTERPRETER.search(str(name)) is not None


def rank_of(name: str | None) -> str:
    """The rank in a worker's title, such as `TP1`; empty where it names none."""
    return "_".join(_RANK.findall(name or ""))
