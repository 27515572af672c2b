"""The engine's own warnings that rules use, each with its code. Pure data; the row's name is the code."""

from __future__ import annotations

from kvaudit.parsers import kernel_notices
from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    *kernel_notices.ROWS,
    marker(
        "moe-default-config",
        b"sing default MoE kernel config",
        r"^Using default MoE kernel config\. Performance might be sub-optimal",
        "Using default MoE kernel config. Performance might be sub-optimal! Config file not found at /opt/E=64,N=512.json",
    ),
    marker(
        "default-kernel-config",
        b"sing default W8A8 Block ",
        r"^Using default W8A8 Block \w+ kernel config\. Performance might be sub-optimal",
        "Using default W8A8 Block FP8 kernel config. Performance might be sub-optimal! Config file not found at /opt/N=512.json",
    ),
    marker(
        "prefix-caching-forced-off",
        b"adix",
        r"(?:Automatically disabl(?:e|ing) radix cache|model detected, disable radix cache|Disabling Radix Cache for |"
        r"^Disabling radix cache since|^Radix cache is disabled|radix cache are disabled when)",
        "Disabling Radix Cache for Qwen3NextForCausalLM as it is not yet supported.",
    ),
    marker(
        "prefix-caching-forced-off",
        b"KV cache is forced as chunk cache",
        r"^KV cache is forced as chunk cache for decode server",
        "KV cache is forced as chunk cache for decode server",
    ),
    marker(
        "gpu-memory-unbalanced",
        b"emory capacity is unbalanced",
        r"The memory capacity is unbalanced\. Some GPUs may be occupied by other processes",
        "The memory capacity is unbalanced. Some GPUs may be occupied by other processes. pre_model_load_memory=60.1, "
        "local_gpu_memory=78.6, local_gpu_memory * 0.9=70.7",
    ),
    marker(
        "requests-preempted",
        b"retracted_reqs: ",
        r"#retracted_reqs: [1-9]",
        "KV cache pool is full. Retract requests. #retracted_reqs: 3, #new_tokens_gained: 600, #new_token_ratio: 0.50 -> 0.90",
    ),
    marker(
        "graphs-forced-off",
        b"CUDA graph capture for ",
        r"^Disabling CUDA graph capture for ",
        "Disabling CUDA graph capture for native FP4 KV cache. The kernels cannot be captured.",
    ),
    marker(
        "backend-fallback",
        b"alling back to ",
        r"^(?:Attention backend .*|.*attention backend.*)[Ff]alling back to ",
        "The attention backend fa3 does not support this model, falling back to triton.",
    ),
    marker(
        "address-in-use",
        b"ddress already in use",
        r"(?i:address already in use)",
        "[Errno 98] error while attempting to bind on address ('0.0.0.0', 30000): address already in use",
    ),
    marker(
        "context-override",
        b"context_length",
        r"User-specified context_length \(\d+\) is greater than the derived context_length",
        "Warning: User-specified context_length (65536) is greater than the derived context_length (32768).",
    ),
)
