"""The engine's own warnings that rules use, named by their notice codes. Pure data."""

from __future__ import annotations

from kvaudit.parsers.tables import Row, marker

ROWS: tuple[Row, ...] = (
    marker(
        "context-auto-fit",
        b"context size reduced from ",
        r"\bcontext size reduced from (?P<asked>\d+) to (?P<served>\d+)",
        "llama_params_fit_impl: context size reduced from 131072 to 40960 -> need 6144 MiB less memory in total",
    ),
    marker(
        "context-capped",
        b"exceeds the training context",
        r"slot context \((?P<asked>\d+)\) exceeds the training context of the model \((?P<served>\d+)\) - capping",
        "srv    load_model: the slot context (65536) exceeds the training context of the model (32768) - capping",
    ),
    marker(
        "prompt-cache-disabled",
        b"prompt cache is disabled",
        r"\bprompt cache is disabled",
        "srv    load_model: prompt cache is disabled - use `--cache-ram N` to enable it",
    ),
    marker(
        "kv-type-rewritten",
        b"auto-asymmetric: ",
        r"\bauto-asymmetric: .*upgrading K from \S+ to \S+",
        "llama_kv_cache: auto-asymmetric: GQA ratio 6:1 (n_head=24, n_head_kv=4) - upgrading K from turbo3 to q8_0 to prevent "
        "quality degradation.",
    ),
    marker(
        "kv-type-per-layer",
        b"layer-adaptive mode ",
        r"\blayer-adaptive mode \d+ enabled",
        "llama_kv_cache: layer-adaptive mode 2 enabled (env)",
    ),
    marker(
        "kv-type-per-layer",
        b"Boundary V ",
        r"\bBoundary V (?:auto-enabled|mode \d+)",
        "llama_kv_cache: Boundary V mode 7: first2+last2 V=q8_0, rest V=turbo2",
    ),
    marker(
        "kv-rotation-disabled",
        b"attention rotation force disabled",
        r"\battention rotation force disabled",
        "llama_kv_cache: attention rotation force disabled (LLAMA_ATTN_ROT_DISABLE)",
    ),
    marker(
        "environment-overridden",
        b"environment variable is set, but will be overwritten",
        r"\bLLAMA_ARG_\w+ environment variable is set, but will be overwritten",
        "warn: LLAMA_ARG_CACHE_TYPE_K environment variable is set, but will be overwritten by command line argument -ctk",
    ),
    marker(
        "fit-failed",
        b"failed to fit params to free device memory",
        r"\bfailed to fit params to free device memory",
        "common_fit_params: failed to fit params to free device memory: n_gpu_layers already set by user to 99, abort",
    ),
)
