"""Words of an engine's log: one of them stands in every line by which its parser recognises it, or in the head of the log.

Room: `parsers`. Constants only. A log without such a word is none of that engine's, and its parser need not even be loaded.
"""

from __future__ import annotations

SGLANG = (
    *("server_args=", "max_total_num_tokens=", "KV Cache is allocated", "The server is fired up", "Load weight ", " batch"),
    *("Init torch distributed ", "Memory pool end", "sglang is using nccl", "Scheduler hit an exception", "Received sigquit"),
    *("Attention backend not ", "Capture cuda graph ", "== SGLang ==", "launch_server.py: error"),
)
LLAMA_CPP = (
    *("llama_", "print_info: ", "print_meta: ", "load_tensors: ", "srv ", "slot ", "n_parallel is set to auto", "build: "),
    *("slots are idle", "LLAMA_ARG_"),
)
OLLAMA = ("source=", "msg=", "server config env=", "[GIN]")
TENSORRT_LLM = ("T-LLM",)
LMDEPLOY = (" - lmdeploy - ", "[TM][")
TGI = ("text_generation_",)
