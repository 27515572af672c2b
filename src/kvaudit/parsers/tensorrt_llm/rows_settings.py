"""Lines about scheduling, attention, graphs and speculation. Pure data."""

from __future__ import annotations

from kvaudit.parsers.converters import always, positive
from kvaudit.parsers.tables import Row
from kvaudit.parsers.tensorrt_llm.converters import boolean, text

ROWS: tuple[Row, ...] = (
    Row(
        "attention-features",
        b"AttentionRuntimeFeatures(",
        r"AttentionRuntimeFeatures\(chunked_prefill=(?P<chunked>True|False), cache_reuse=(?P<reuse>True|False)",
        (("chunked", "scheduler.chunked_prefill", boolean), ("reuse", "kv_cache.prefix_caching", boolean)),
        "resolved",
        "ATTENTION RUNTIME FEATURES:  AttentionRuntimeFeatures(chunked_prefill=False, cache_reuse=True, "
        "has_speculative_draft_tokens=False, chunk_size=8192)",
        since="0.18.0",
        pick="last",
    ),
    Row(
        "native-batch",
        b"TRTGptModel maxBatchSize: ",
        r"^TRTGptModel maxBatchSize: (?P<batch>\d+)",
        (("batch", "scheduler.max_num_seqs", positive),),
        "resolved",
        "TRTGptModel maxBatchSize: 64",
    ),
    Row(
        "native-tokens",
        b"TRTGptModel maxNumTokens: ",
        r"^TRTGptModel maxNumTokens: (?P<tokens>\d+)",
        (("tokens", "scheduler.max_num_batched_tokens", positive),),
        "resolved",
        "TRTGptModel maxNumTokens: 8192",
    ),
    Row(
        "native-chunked",
        b"since chunked context is enabled",
        r"(?P<what>since chunked context is enabled)",
        (("what", "scheduler.chunked_prefill", always(True)),),
        "resolved",
        "TRTGptModel maxInputLen: 4097  = maxSequenceLen - 1 since chunked context is enabled",
    ),
    Row(
        "native-chunked-off",
        b"enable_chunked_context is not specified",
        r"^enable_chunked_context is not specified, will be set to (?P<what>true|false)",
        (("what", "scheduler.chunked_prefill", boolean),),
        "resolved",
        "enable_chunked_context is not specified, will be set to false.",
    ),
    Row(
        "native-policy",
        b"Capacity Scheduler Policy: ",
        r"^Capacity Scheduler Policy: (?P<policy>[A-Z_]+)",
        (("policy", "scheduler.policy", text),),
        "resolved",
        "Capacity Scheduler Policy: GUARANTEED_NO_EVICT",
    ),
    Row(
        "bench-policy",
        b"Scheduling Policy:",
        r"^Scheduling Policy:\s+(?P<policy>\w[\w ]*)$",
        (("policy", "scheduler.policy", lambda words: words.strip().upper().replace(" ", "_")),),
        "resolved",
        "Scheduling Policy:\tGUARANTEED_NO_EVICT",
    ),
    Row(
        "bench-batch",
        b"Max Runtime Batch Size:",
        r"^Max Runtime Batch Size:\s+(?P<batch>\d+)$",
        (("batch", "scheduler.max_num_seqs", positive),),
        "resolved",
        "Max Runtime Batch Size: 2048",
    ),
    Row(
        "bench-tokens",
        b"Max Runtime Tokens:",
        r"^Max Runtime Tokens:\s+(?P<tokens>\d+)$",
        (("tokens", "scheduler.max_num_batched_tokens", positive),),
        "resolved",
        "Max Runtime Tokens:\t8192",
    ),
    Row(
        "graphs-captured",
        b"Creating CUDA graph instances for ",
        r"^Creating CUDA graph instances for (?P<count>[1-9]\d*) batch sizes",
        (("count", "graphs.enforce_eager", always(False)),),
        "observed",
        "Creating CUDA graph instances for 9 batch sizes.",
    ),
    Row(
        "overlap-off",
        b"Disable overlap scheduler for speculation mode",
        r"^(?P<what>Disable overlap scheduler) for speculation mode",
        (("what", "scheduler.async_scheduling", always(False)),),
        "resolved",
        "Disable overlap scheduler for speculation mode EAGLE3",
    ),
)

GRAPH_WARMUP = Row(
    "graph-warmup",
    b"CUDA graph warmup for batch size=",
    r"^Run generation[- ]only CUDA graph warmup for batch size=(?P<batch>\d+)",
    (),
    "observed",
    "Run generation only CUDA graph warmup for batch size=128, draft_len=0",
)
