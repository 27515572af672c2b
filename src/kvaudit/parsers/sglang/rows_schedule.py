"""Lines about backends, graphs, scheduling and the prefix cache, decided after or before the arguments line. Pure data."""

from __future__ import annotations

from kvaudit.parsers.converters import always, number, positive
from kvaudit.parsers.sglang.converters import caches_prefixes, largest, text
from kvaudit.parsers.tables import Row

_OFF = always(False)
_NO_PREFIXES = "kv_cache.prefix_caching"

ROWS: tuple[Row, ...] = (
    Row(
        "attention-default",
        b"ttention backend not ",
        r"^Attention backend not (?:set|explicitly specified|specified)\. (?:Use (?P<name>\w+) backend by default|"
        r"Falling back to '(?P<fallback>\w+)' for)",
        (("name", "attention.backend", text), ("fallback", "attention.backend", text)),
        "resolved",
        "Attention backend not specified. Use flashinfer backend by default.",
        since="0.4.4",
        pick="first",
    ),
    Row(
        "attention-mla",
        b"MLA optimization is turned on",
        r"^MLA optimization is turned on\. Use (?P<name>\w+) backend",
        (("name", "attention.backend", text),),
        "resolved",
        "MLA optimization is turned on. Use fa3 backend.",
        since="0.4.4",
        until="0.5.4",
        pick="first",
    ),
    Row(
        "tree-cache",
        b"Tree cache initialized: ",
        r"^Tree cache initialized: source=\S+ impl=(?P<name>\w+)",
        (("name", _NO_PREFIXES, caches_prefixes),),
        "observed",
        "Tree cache initialized: source=default impl=RadixCache hybrid_swa=False hybrid_ssm=False hierarchical=False "
        "streaming_wrapped=False",
        since="0.5.13",
        pick="first",
    ),
    Row(
        "radix-off",
        b"adix",
        r"(?P<what>Automatically disabl(?:e|ing) radix cache|model detected, disable radix cache|"
        r"Disabling Radix Cache for |^Disabling radix cache since|^Radix cache is disabled|radix cache are disabled when)",
        (("what", _NO_PREFIXES, _OFF),),
        "resolved",
        "Hybrid GDN model detected, disable radix cache",
        since="0.4.4",
        pick="first",
    ),
    Row(
        "chunk-cache-forced",
        b"KV cache is forced as chunk cache",
        r"^(?P<what>KV cache is forced as chunk cache) for decode server",
        (("what", _NO_PREFIXES, _OFF),),
        "resolved",
        "KV cache is forced as chunk cache for decode server",
        since="0.4.4",
        until="0.5.20",
        pick="first",
    ),
    Row(
        "overlap-off",
        b"verlap schedule",
        r"(?P<what>^Overlap schedule[rd]? is disabled|^Disabling overlap schedule since)",
        (("what", "scheduler.async_scheduling", _OFF),),
        "resolved",
        "Overlap scheduler is disabled for multimodal models.",
        pick="first",
    ),
    Row(
        "graph-sizes",
        b"Capture cuda graph bs [",
        r"^Capture cuda graph bs \[(?P<sizes>[\d, ]+)\]",
        (("sizes", "graphs.capture_max", largest),),
        "observed",
        "Capture cuda graph bs [1, 2, 4, 8]",
        since="0.4.6",
        until="0.5.14",
        pick="first",
    ),
    Row(
        "graph-begin",
        b"graph begin",
        r"^Capture (?:(?P<draft>draft )(?:extend )?)?(?:cuda|cpu|npu|xpu) graph begin\.",
        (),
        "observed",
        "Capture cuda graph begin. This can take up to several minutes. avail mem=12.00 GB",
    ),
    Row(
        "graph-end",
        b"graph end",
        r"^Capture (?:(?P<draft>draft )(?:extend )?)?(?:cuda|cpu|npu|xpu) graph end\. Time elapsed: \d{1,7}(?:\.\d{1,20})? s\."
        r"(?:.*?mem usage=(?P<gib>-?\d{1,7}(?:\.\d{1,20})?) GB)?",
        (),
        "observed",
        "Capture cuda graph end. Time elapsed: 7.91 s. mem usage=0.94 GB. avail mem=11.06 GB.",
    ),
    Row(
        "graph-begin",
        b"CUDA graph begin",
        r"^Capture (?:(?P<draft>draft) |target )?(?P<phase>piecewise|decode|verify|prefill|extend|[\w ]{3,30}?) CUDA graph "
        r"begin\.(?:.*?\bbs=\[(?P<sizes>[\d, ]+)\])?",
        (),
        "observed",
        "Capture target decode CUDA graph begin. backend=full, num_tokens_per_req=1, bs=[1, 2, 4], avail mem=9.00 GB",
        since="0.5.6",
    ),
    Row(
        "graph-end",
        b"CUDA graph end",
        r"^Capture (?:(?P<draft>draft) |target )?(?P<phase>piecewise|decode|verify|prefill|extend|[\w ]{3,30}?) CUDA graph "
        r"end\.(?:.*?\bbs=\[(?P<sizes>[\d, ]+)\])?.*?mem usage=(?P<gib>-?\d{1,7}(?:\.\d{1,20})?) GB",
        (),
        "observed",
        "Capture target decode CUDA graph end. elapsed=12.47 s, mem usage=1.26 GB, avail mem=10.35 GB.",
        since="0.5.6",
    ),
    Row(
        "graphs-off",
        b"CUDA graph capture for ",
        r"^(?P<what>Disabling CUDA graph capture for )",
        (("what", "graphs.enforce_eager", always(True)),),
        "resolved",
        "Disabling CUDA graph capture for native FP4 KV cache. The kernels cannot be captured.",
        pick="first",
    ),
    Row(
        "requests-reset",
        b"Max running requests is reset to ",
        r"^Max running requests is reset to (?P<requests>\d{1,12}) for speculative decoding",
        (("requests", "scheduler.max_num_seqs", positive),),
        "resolved",
        "Max running requests is reset to 48 for speculative decoding. You can override this by explicitly setting "
        "--max-running-requests.",
        since="0.5.4",
        pick="first",
    ),
    Row(
        "static-fraction",
        b"--mem-fraction-static",
        r"^(?:Automatically reduce --mem-fraction-static to|Multimodal model: Dynamically adjusted --mem-fraction-static from: "
        r"\d{1,7}(?:\.\d{1,20})? to:) (?P<share>0\.\d+)",
        (("share", "memory.static_fraction", number),),
        "resolved",
        "Automatically reduce --mem-fraction-static to 0.792 because this is a multimodal model.",
        since="0.4.1",
        until="0.5.0",
        pick="last",
    ),
)
