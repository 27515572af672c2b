"""The engine's own warnings that rules or people use; the name of a row is the notice's code. Pure data."""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker(
        "prefix-caching-forced-off",
        b"Disabling block reuse for ",
        r"^Disabling block reuse for ",
        "Disabling block reuse for FLASHINFER backend",
    ),
    marker(
        "prefix-caching-forced-off",
        b"disable enable_block_reuse for ",
        r"KV cache reuse for MLA can only be enabled .*disable enable_block_reuse for ",
        "KV cache reuse for MLA can only be enabled on SM90/SM100/SM103/SM120, disable enable_block_reuse for SM89",
    ),
    marker(
        "chunked-prefill-forced-off",
        b"Disabling chunked context for ",
        r"^Disabling chunked context for ",
        "Disabling chunked context for FLASHINFER backend",
    ),
    marker(
        "chunked-prefill-forced-off",
        b"disable enable_chunked_context for ",
        r"^Chunked Prefill for MLA can only be enabled .*disable enable_chunked_context for ",
        "Chunked Prefill for MLA can only be enabled on SM100, disable enable_chunked_context for SM89",
    ),
    marker(
        "memory-outside-torch",
        b"Memory used after loading model weights (outside torch)",
        r"^Memory used after loading model weights \(outside torch\) in memory usage profiling: [\d.]+ GiB",
        "Memory used after loading model weights (outside torch) in memory usage profiling: 1.71 GiB",
    ),
    marker(
        "memory-outside-torch",
        b"Memory used at after loading weights (outside torch)",
        r"^Memory used at after loading weights \(outside torch\) in memory usage profiling: [\d.]+ GiB",
        "Memory used at after loading weights (outside torch) in memory usage profiling: 1.71 GiB",
    ),
    marker(
        "kv-pool-limited",
        b" is provided. It limits max memory to ",
        r"^max_tokens=\d+ is provided\. It limits max memory to ",
        "max_tokens=65536 is provided. It limits max memory to 8.00 GiB. New max_memory is set to 8.00 GiB",
    ),
    marker(
        "kv-pool-limited",
        b" is provided. New max memory is ",
        r"^max_gpu_total_bytes=[\d.]+ GiB is provided\. New max memory is ",
        "max_gpu_total_bytes=8.00 GiB is provided. New max memory is 8.00 GiB",
    ),
    marker(
        "kv-manager-fallback",
        b"KVCacheManagerV2 is not supported with ",
        r"^KVCacheManagerV2 is not supported with .*Falling back to KVCacheManager",
        "KVCacheManagerV2 is not supported with max_beam_width > 1. Falling back to KVCacheManager.",
    ),
    marker(
        "backend-fallback",
        b"Falling back to greedy decoding",
        r"^Falling back to greedy decoding",
        "Falling back to greedy decoding for EAGLE3. If you want non-greedy sampling, please set allow_advanced_sampling=True.",
    ),
    marker(
        "mamba-manager-overridden",
        b"TLLM_MAMBA_MANAGER_PREFERENCE",
        r"^Environment variable TLLM_MAMBA_MANAGER_PREFERENCE=",
        "Environment variable TLLM_MAMBA_MANAGER_PREFERENCE=CPP overrides the default Mamba cache manager.",
    ),
    marker(
        "kv-algorithm-overridden",
        b"Overriding checkpoint kv_cache_quant_algo=",
        r"^Overriding checkpoint kv_cache_quant_algo=",
        "Overriding checkpoint kv_cache_quant_algo=FP8 with explicit kv_cache_config.dtype=NVFP4.",
    ),
    marker("address-in-use", b"ddress already in use", r"[Aa]ddress already in use", "[Errno 98] Address already in use"),
)
