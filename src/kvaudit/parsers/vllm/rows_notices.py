"""The engine's own warnings that rules use, each with its code. Pure data; the row's name is the code."""

from __future__ import annotations

from kvaudit.parsers import kernel_notices
from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    *kernel_notices.ROWS,
    marker(
        "moe-default-config",
        b"Using default MoE config",
        r"Using default MoE config\. Performance might be sub-optimal",
        "Using default MoE config. Performance might be sub-optimal! Config file not found at /opt/configs/E=64,N=512.json",
    ),
    marker(
        "unknown-environment-variable",
        b"Unknown vLLM environment variable detected",
        r"^Unknown vLLM environment variable detected: \w+",
        "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND",
    ),
    marker(
        "prefix-caching-forced-off",
        b"refix caching",
        r"(?:forcing chunked prefill and prefix caching to be disabled|disabling prefix caching since|"
        r"without support for prefix caching: disabling|Prefix caching has been disabled|"
        r"do not support chunked prefill nor prefix caching; disabling both|[Dd]isabling prefix caching[: ])",
        "Hybrid or mamba-based model detected without support for prefix caching: disabling.",
    ),
    marker(
        "persisted-plan-applied",
        b"Applying persisted startup plan",
        r"^Applying persisted startup plan",
        "Applying persisted startup plan (fingerprint 0a1b): kv_cache_memory_bytes=1073741824 (1.00 GiB), recorded free-memory "
        "baseline 78.00 GiB, current 78.00 GiB. Memory profiling will be skipped.",
    ),
    marker(
        "cold-compile",
        b"ompiling a graph for ",
        r"^Compiling a graph for (?:compile range|dynamic shape|shape|general shape)",
        "Compiling a graph for compile range (1, 8192) takes 16.87 s",
    ),
    marker(
        "cold-compile",
        b"Cache the graph of ",
        r"^Cache the graph of (?:compile range|shape)",
        "Cache the graph of compile range (1, 8192) for later use",
    ),
    marker(
        "compile-cache-loaded",
        b"irectly load ",
        r"^Directly load (?:the compiled graph|AOT compilation)",
        "Directly load the compiled graph(s) for compile range (1, 8192) from the cache, took 0.196 s",
    ),
    marker(
        "kv-scales-default",
        b"Using KV cache scaling factor 1.0",
        r"^Using KV cache scaling factor 1\.0",
        "Using KV cache scaling factor 1.0 for fp8_e4m3. If this is unintended, verify that k/v_scale scaling factors are "
        "properly set in the checkpoint.",
    ),
    marker(
        "backend-fallback",
        b"Cannot use ",
        r"^Cannot use (?:FlashAttention(?:-2)? backend|FA version \d)",
        "Cannot use FlashAttention-2 backend for Volta and Turing GPUs.",
    ),
    marker(
        "backend-fallback",
        b"precluded higher-priority backend",
        r"^--block-size \d+ precluded higher-priority backend",
        "--block-size 16 precluded higher-priority backend(s) FLASHMLA. Using TRITON_MLA instead, which may be slower.",
    ),
    marker(
        "backend-fallback",
        b"is incompatible with this layer",
        r"^Selected backend \S+ is incompatible with this layer",
        "Selected backend ROCM_AITER_FA is incompatible with this layer (head_size=72) of the target run; using the "
        "auto-selected per-layer backend.",
    ),
    marker(
        "backend-fallback",
        b"alling back to ",
        r"^(?:FlashInfer is not available\. Falling back|.*Falling back to V0 Engine|.*Falling back to UnquantizedLinearMethod)",
        "FlashInfer is not available. Falling back to the PyTorch-native implementation of top-p & top-k sampling.",
    ),
    marker(
        "context-auto-fit",
        b"Auto-fit max_model_len: reduced",
        r"^Auto-fit max_model_len: reduced from",
        "Auto-fit max_model_len: reduced from 131072 to 40960 to fit in available GPU memory (5.2 GiB available for KV cache)",
    ),
    marker(
        "address-in-use",
        b"ddress already in use",
        r"(?i:address already in use)",
        "OSError: [Errno 98] Address already in use",
    ),
    marker(
        "developer-mode",
        b"Development endpoints are enabled",
        r"Development endpoints are enabled",
        "SECURITY WARNING: Development endpoints are enabled! This should NOT be used in production!",
    ),
    marker(
        "free-memory-changed-while-profiling",
        b"memory profiling",
        r"^(?:\w*Error: )?Error in memory profiling\. Initial free memory",
        "AssertionError: Error in memory profiling. Initial free memory 70.1 GiB, current free memory 75.0 GiB. This happens "
        "when other processes sharing the same container release GPU memory while vLLM is profiling during initialization.",
    ),
    marker(
        "free-memory-changed-while-profiling",
        b"Free memory grew by ",
        r"^Free memory grew by [\d.]+ GiB during profiling",
        "Free memory grew by 4.2 GiB during profiling (initial 70.1 GiB, current 74.3 GiB).",
    ),
    marker(
        "mixed-gpus",
        b"Detected different devices in the system",
        r"^Detected different devices in the system",
        "Detected different devices in the system: GPU A, GPU B. Please make sure to set `CUDA_DEVICE_ORDER=PCI_BUS_ID` to avoid "
        "unexpected behavior.",
    ),
    marker(
        "requests-preempted",
        b" is preempted by ",
        r"^Sequence group \S+ is preempted by .*? because there is not enough KV cache space",
        "Sequence group 17 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can "
        "affect the end-to-end performance. total_num_cumulative_preemption=1",
    ),
)
