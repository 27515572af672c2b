"""Lines about the KV pool: sizes, element type, capacity, scales, offload. Pure data.

`GB` of the pool is 2^30 bytes (`GB = 1024 * 1024 * 1024` in memory_pool.py). One line a pool and rank: a target, its sliding
window, a drafter; `pools` decides which is which.
"""

from __future__ import annotations

from kvaudit.parsers.converters import always, integer, positive
from kvaudit.parsers.sglang.converters import element_type
from kvaudit.parsers.tables import Row

_GIB = r"\d{1,7}(?:\.\d{1,20})?"
_COUNT = r"\d{1,12}"
_SIZES = rf"(?:K size: (?P<keys>{_GIB}) GB, V size: (?P<values>{_GIB}) GB|KV size: (?P<both>{_GIB}) GB)"
_POOL = rf"(?:dtype: (?P<dtype>[\w.]+), )?(?:#tokens: (?P<tokens>{_COUNT}), )?{_SIZES}(?:.*?\bpage_size=(?P<page>{_COUNT}))?"

ROWS: tuple[Row, ...] = (
    Row(
        "pool",
        b"KV Cache is allocated",
        rf"^(?P<label>[\w. -]{{0,60}}?) ?KV Cache (?P<kind>is allocated)\. {_POOL}",
        (("page", "kv_cache.block_size", positive),),
        "observed",
        "KV Cache is allocated. dtype: torch.bfloat16, #tokens: 131072, K size: 8.00 GB, V size: 8.00 GB",
        since="0.4.1",
    ),
    Row(
        "pool",
        b"KV Cache VA upper bound",
        rf"^(?P<label>[\w. -]{{0,60}}?) ?KV Cache (?P<kind>VA upper bound)\. {_POOL}",
        (("page", "kv_cache.block_size", positive),),
        "observed",
        "KV Cache VA upper bound. dtype: torch.bfloat16, #tokens: 900000, K size: 60.00 GB, V size: 60.00 GB",
        since="0.5.17",
    ),
    Row(
        "pool-end",
        b"Memory pool end",
        r"^Memory pool end\. avail mem=(?P<free>-?\d{1,7}(?:\.\d{1,20})?) GB",
        (),
        "observed",
        "Memory pool end. avail mem=12.34 GB",
    ),
    Row(
        "window-pool",
        b"sliding window memory pool",
        r"^Use sliding window memory pool(?: \(all SWA\))?\. (?:full_layer_tokens=(?P<full>\d{1,12}), )?"
        r"swa_layer_tokens=(?P<window>\d{1,12})",
        (),
        "observed",
        "Use sliding window memory pool. full_layer_tokens=65536, swa_layer_tokens=52428",
        since="0.5.7",
    ),
    Row(
        "window-pool",
        b"Sliding window memory pool",
        r"^Use Sliding window memory pool\. full_layer_tokens=(?P<full>\d{1,12}), swa_layer_tokens=(?P<window>\d{1,12})",
        (),
        "observed",
        "Use Sliding window memory pool. full_layer_tokens=65536, swa_layer_tokens=52428",
        since="0.4.9",
        until="0.5.7",
    ),
    Row(
        "window-total",
        b"SWAKVPool ",
        rf"^SWAKVPool (?P<kind>mem usage|VA upper bound): (?P<gib>{_GIB}) GB, swa size: (?P<window>{_COUNT}), "
        rf"full size: (?P<full>{_COUNT})",
        (),
        "observed",
        "SWAKVPool mem usage: 10.50 GB, swa size: 52428, full size: 65536",
        since="0.5.3",
    ),
    Row(
        "state-pool",
        b"Mamba Cache is allocated",
        r"^Mamba Cache is allocated\. ",
        (),
        "observed",
        "Mamba Cache is allocated. max_mamba_cache_size: 48, conv_state size: 0.10GB, ssm_state size: 3.52GB",
        since="0.5.2",
    ),
    Row(
        "post-capture",
        b"Post-capture KV sizing: KV cache allocated",
        r"^Post-capture KV sizing: KV cache allocated\. dtype: (?P<dtype>[\w.]+), #tokens: (?P<tokens>\d{1,12}), "
        r"KV size: (?P<gib>\d{1,7}(?:\.\d{1,20})?) GB",
        (),
        "observed",
        "Post-capture KV sizing: KV cache allocated. dtype: torch.bfloat16, #tokens: 131072, KV size: 16.00 GB, avail mem=4 GB",
        since="0.5.17",
    ),
    Row(
        "kv-dtype",
        b"Using KV cache dtype: ",
        r"^Using KV cache dtype: (?P<dtype>[\w.]+)",
        (),
        "observed",
        "Using KV cache dtype: torch.float8_e4m3fn",
        since="0.5.3",
        until="0.5.13",
    ),
    Row(
        "kv-dtype-set",
        b"Setting KV cache dtype to ",
        r"^Setting KV cache dtype to (?P<dtype>[\w.]+?)(?: for (?P<model>[^.]{1,80}))?\.\s*$",
        (("dtype", "clue.kv_dtype_notice", element_type),),
        "resolved",
        "Setting KV cache dtype to fp8_e4m3 for DeepSeek DSA on SM10 device.",
        since="0.5.3",
        pick="first",
    ),
    Row(
        "kv-dtype-default",
        b" KV cache by default for ",
        r"^Use (?P<dtype>\w+) KV cache by default for ",
        (("dtype", "clue.kv_dtype_notice", element_type),),
        "resolved",
        "Use fp8_e4m3 KV cache by default for Muse Spark",
        since="0.5.23",
        pick="first",
    ),
    Row(
        "kv-dtype-fallback",
        b"--kv-cache-dtype falls back to",
        r"^--kv-cache-dtype falls back to 'auto'",
        (),
        "resolved",
        "--kv-cache-dtype falls back to 'auto' because this torch version does not support torch.float4_e2m1fn_x2",
        since="0.5.4",
    ),
    Row(
        "no-scales",
        b"Using FP8 KV cache but no scaling factors provided",
        r"^Using FP8 KV cache but no scaling factors provided\. (?P<what>Defaulting to scaling factors of 1\.0)",
        (("what", "clue.kv_scale_notice", always("fp8")),),
        "observed",
        "Using FP8 KV cache but no scaling factors provided. Defaulting to scaling factors of 1.0. "
        "This may lead to less accurate results!",
        since="0.4.1",
        pick="first",
    ),
    Row(
        "default-scales",
        b"KV cache scaling factor",
        r"(?P<what>^Using KV cache scaling factor 1\.0 for |^Defaulting to KV cache scaling factors = 1\.0)",
        (("what", "clue.kv_scale_notice", always("fp8")),),
        "observed",
        "Defaulting to KV cache scaling factors = 1.0 for all layers in TP rank 0 as an error occurred during loading.",
        since="0.4.1",
        pick="first",
    ),
    Row(
        "loaded-scales",
        b"Loaded KV cache scaling factors from ",
        r"^(?P<what>Loaded KV cache scaling factors) from \S",
        (("what", "kv_cache.scales", always("checkpoint")),),
        "observed",
        "Loaded KV cache scaling factors from /srv/scales/kv.json",
        since="0.4.1",
        pick="first",
    ),
    Row(
        "capacity",
        b"max_total_num_tokens=",
        r"^max_total_num_tokens=(?P<tokens>\d{1,12}), (?:chunked_prefill_size=(?P<chunk>-?\w+), )?"
        rf"max_prefill_tokens=(?P<prefill>{_COUNT}), max_running_requests=(?P<requests>{_COUNT}), "
        rf"context_len=(?P<length>{_COUNT})",
        (
            ("tokens", "kv_cache.tokens", positive),
            ("requests", "scheduler.max_num_seqs", positive),
            ("length", "model.max_len", positive),
        ),
        "observed",
        "max_total_num_tokens=131072, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, "
        "context_len=32768, available_gpu_mem=11.20 GB",
        pick="first",
    ),
    Row(
        "page-size",
        b"Setting page size to ",
        r"^Setting page size to (?P<size>\d{1,12}) for ",
        (("size", "kv_cache.block_size", integer),),
        "resolved",
        "Setting page size to 64 for DeepSeek DSA.",
        pick="last",
    ),
    Row(
        "host-pool",
        b" GB host memory",
        r"^Allocating (?P<gib>\d{1,7}(?:\.\d{1,20})?) GB host memory for (?P<what>hierarchical KV cache)|"
        r"^Allocating \S+ (?P<pool>hierarchical KV host pool): \d+ tokens",
        (("what", "kv_cache.offload", always("HiCache")), ("pool", "kv_cache.offload", always("HiCache"))),
        "observed",
        "Allocating 40.00 GB host memory for hierarchical KV cache.",
        since="0.4.1",
        pick="first",
    ),
    Row(
        "free-at-start",
        b"Load weight begin",
        r"^Load weight begin\. avail mem=(?P<free>-?\d{1,7}(?:\.\d{1,20})?) GB",
        (),
        "observed",
        "Load weight begin. avail mem=78.60 GB",
    ),
)
