"""Lines about the scheduler, CUDA graphs, parallelism and speculation. Pure data."""

from __future__ import annotations

from kvaudit.parsers.tables import Row
from kvaudit.parsers.vllm.converters import always, integer, switched, text

ROWS: tuple[Row, ...] = (
    Row(
        "batched-tokens",
        b"hunked prefill is enabled with max_num_batched_tokens",
        r"^Chunked prefill is enabled with max_num_batched_tokens=(?P<tokens>\d+)",
        (("tokens", "scheduler.max_num_batched_tokens", integer),),
        "resolved",
        "Chunked prefill is enabled with max_num_batched_tokens=8192.",
        since="0.5.4",
        pick="last",
    ),
    Row(
        "default-batched-tokens",
        b"max_num_batched_tokens to ",
        r"^(?:Defaulting|Setting) max_num_batched_tokens to (?P<tokens>\d+) for \S+ usage context",
        (("tokens", "scheduler.max_num_batched_tokens", integer),),
        "resolved",
        "Defaulting max_num_batched_tokens to 8192 for OPENAI_API_SERVER usage context.",
        pick="last",
    ),
    Row(
        "default-num-seqs",
        b"max_num_seqs to ",
        r"^(?:Defaulting|Setting) max_num_seqs to (?P<count>\d+) for \S+ usage context",
        (("count", "scheduler.max_num_seqs", integer),),
        "resolved",
        "Defaulting max_num_seqs to 256 for OPENAI_API_SERVER usage context.",
        pick="last",
    ),
    Row(
        "async-scheduling",
        b"Asynchronous scheduling is ",
        r"^Asynchronous scheduling is (?P<state>enabled|disabled)\.",
        (("state", "scheduler.async_scheduling", switched),),
        "resolved",
        "Asynchronous scheduling is enabled.",
        since="0.14.0",
        until="0.26.0",
        pick="first",
    ),
    Row(
        "async-scheduling-off",
        b"sync scheduling",
        r"^(?P<what>Async scheduling (?:is not yet supported|not supported|is not compatible|will be disabled|is disabled) .*)$",
        (("what", "scheduler.async_scheduling", always(False)),),
        "resolved",
        "Async scheduling not supported with ngram-based speculative decoding and will be disabled.",
        pick="first",
    ),
    Row(
        "graph-mode-lowered",
        b"CUDAGraphMode.",
        r"^CUDAGraphMode\.\w+ is not supported with .*?; ?setting cudagraph_mode=(?P<mode>\w+)",
        (("mode", "graphs.mode", text),),
        "resolved",
        "CUDAGraphMode.FULL_AND_PIECEWISE is not supported with FlashInfer backend (support: AttentionCGSupport.NEVER); "
        "setting cudagraph_mode=PIECEWISE",
        since="0.11.0",
        pick="last",
    ),
    Row(
        "graph-mode-overridden",
        b"udagraph mode ",
        r"^Cudagraph mode \S+ is not compatible with compilation mode .*?Overriding to (?P<mode>[A-Z_]+)",
        (("mode", "graphs.mode", text),),
        "resolved",
        "Cudagraph mode FULL_AND_PIECEWISE is not compatible with compilation mode 0.Overriding to NONE.",
        since="0.12.0",
        pick="last",
    ),
    Row(
        "eager",
        b"nforce eager set, ",
        r"^(?P<what>Enforce eager set, (?:disabling|overriding))",
        (("what", "graphs.enforce_eager", always(True)),),
        "resolved",
        "Enforce eager set, disabling torch.compile and CUDAGraphs. This is equivalent to setting -cc.mode=none "
        "-cc.cudagraph_mode=none",
        since="0.12.0",
    ),
    Row(
        "prefix-caching-off-late",
        b"isabling prefix caching: ",
        r"^(?P<what>Disabling prefix caching: (?:model has|this instance))",
        (("what", "kv_cache.prefix_caching", always(False)),),
        "observed",
        "Disabling prefix caching: model has non-causal attention layers.",
        since="0.24.0",
    ),
    Row(
        "world-rank",
        b" in world size ",
        r"^rank (?P<rank>\d+) in world size (?P<world>\d+) is assigned as DP rank (?P<data>\d+), PP rank (?P<pipeline>\d+), "
        r".*?TP rank (?P<tensor>\d+)",
        (),
        "observed",
        "rank 1 in world size 4 is assigned as DP rank 0, PP rank 0, PCP rank 0, TP rank 1, EP rank 1",
        since="0.8.0",
    ),
    Row(
        "drafter",
        b"Loading drafter model",
        r"^Loading drafter model",
        (),
        "observed",
        "Loading drafter model...",
        since="0.8.5",
    ),
    Row(
        "config-not-set",
        b"Current vLLM config is not set",
        r"^Current vLLM config is not set",
        (),
        "observed",
        "Current vLLM config is not set.",
    ),
)
