"""Lines about the KV pool: the dry run's, the final one's, the budget between them, and what shortened the context. Pure data.

`pools` reads most of them by name, because the first pool of the PyTorch backend is a temporary one (estimation).
"""

from __future__ import annotations

from kvaudit.fields import Stage
from kvaudit.parsers.converters import integer, number, positive
from kvaudit.parsers.tables import Row
from kvaudit.parsers.tensorrt_llm.converters import boolean, fraction, percent, text

_SEEN: Stage = "observed"

POOL_ROWS: tuple[Row, ...] = (
    Row(
        "shape",
        b"Max KV cache ",
        r"^Max KV cache (?:blocks|pages) per sequence: \d+(?: \[window size=(?P<window>\d+)\])?"
        r"(?:, tokens per block=(?P<size>\d+), primary blocks=(?P<blocks>\d+), secondary blocks=(?P<secondary>\d+)"
        r"(?:, max sequence length=(?P<length>\d+))?)?",
        (),
        _SEEN,
        "Max KV cache blocks per sequence: 512 [window size=16384], tokens per block=32, primary blocks=2048, "
        "secondary blocks=0, max sequence length=16384",
    ),
    Row(
        "block-size",
        b"Number of tokens per block: ",
        r"^Number of tokens per block: (?P<size>\d+)",
        (),
        _SEEN,
        "Number of tokens per block: 32.",
    ),
    Row(
        "allocated",
        b"for max tokens in paged KV cache",
        r"Allocated (?P<gib>[\d.]+) GiB for max tokens in paged KV cache \((?P<tokens>\d+)\)",
        (),
        _SEEN,
        "[MemUsageChange] Allocated 8.00 GiB for max tokens in paged KV cache (65536).",
    ),
    Row(
        "total-tokens",
        b" tokens in paged KV cache",
        r"^Using (?P<tokens>\d+) (?:total )?tokens in paged KV cache",
        (),
        _SEEN,
        "Using 31616 total tokens in paged KV cache, and 16 blocks per sequence",
    ),
    Row(
        "allocated-bytes",
        b" bytes for k/v cache",
        r"^Allocate (?P<bytes>\d+) bytes for k/v cache",
        (),
        _SEEN,
        "Allocate 4294967296 bytes for k/v cache. ",
    ),
    Row(
        "primary-blocks",
        b"in KV cache primary pool: ",
        r"^Number of blocks in KV cache primary pool: (?P<blocks>\d+)",
        (),
        _SEEN,
        "Number of blocks in KV cache primary pool: 4607",
    ),
    Row(
        "secondary-blocks",
        b"in KV cache secondary pool: ",
        r"^Number of blocks in KV cache secondary pool: (?P<secondary>\d+)",
        (),
        _SEEN,
        "Number of blocks in KV cache secondary pool: 0, onboard blocks to primary memory before reuse: true",
    ),
    Row(
        "quota",
        b"KV cache manager v2 device quota set to ",
        r"^KV cache manager v2 device quota set to (?P<gib>[\d.]+)GiB",
        (),
        _SEEN,
        "KV cache manager v2 device quota set to 13.625GiB",
        since="1.2.0",
    ),
    Row(
        "sizes",
        b"max_num_requests=",
        r"^max_seq_len=(?P<length>\d+), max_num_requests=(?P<requests>\d+), max_num_tokens=(?P<tokens>\d+)"
        r"(?:, max_batch_size=(?P<batch>\d+))?",
        (),
        _SEEN,
        "max_seq_len=16384, max_num_requests=32, max_num_tokens=8192, max_batch_size=32",
    ),
    Row(
        "adjusted-length",
        b"Adjusted max_seq_len to ",
        r"^Adjusted max_seq_len to (?P<length>\d+)",
        (),
        _SEEN,
        "Adjusted max_seq_len to 65536",
    ),
    Row(
        "reduced-length",
        b"are too large for at least one sequence to fit in kvCache",
        r"^maxAttentionWindow and maxSequenceLen are too large .*[Tt]hey are reduced to (?P<length>\d+)",
        (),
        _SEEN,
        "maxAttentionWindow and maxSequenceLen are too large for at least one sequence to fit in kvCache. "
        "they are reduced to 4097",
    ),
    Row(
        "peak",
        b"Peak memory during memory usage profiling",
        r"^Peak memory during memory usage profiling .*fraction is set (?P<fraction>[\d.]+), "
        r"kv size (?:per token )?is (?P<cost>\d+)(?: bytes/token)?(?P<fixed> \+ \d+ bytes fixed cost)?[.,]"
        r"(?: device total memory (?P<total>[\d.]+) GiB)?",
        (("fraction", "memory.static_fraction", fraction), ("total", "memory.total_gib", number)),
        _SEEN,
        "Peak memory during memory usage profiling (torch + non-torch): 34.89 GiB, available KV cache memory when calculating "
        "max tokens: 13.62 GiB, fraction is set 0.9, kv size per token is 163840 bytes/token. device total memory 47.37 GiB, "
        "temporary kv cache memory during profiling 2.66 GiB",
    ),
    Row("model-ready", b"Model init total -- ", r"^Model init total -- [\d.]+s", (), _SEEN, "Model init total -- 9.12s"),
)

ROWS: tuple[Row, ...] = (
    *(row for row in POOL_ROWS if row.feeds),
    Row(
        "inferred-length",
        b"max_seq_len is not specified, using inferred value ",
        r"^max_seq_len is not specified, using inferred value (?P<length>\d+)",
        (("length", "model.max_len", positive),),
        "resolved",
        "max_seq_len is not specified, using inferred value 131072",
    ),
    Row(
        "native-length",
        b"TRTGptModel maxSequenceLen: ",
        r"^TRTGptModel maxSequenceLen: (?P<length>\d+)",
        (("length", "model.max_len", positive),),
        "resolved",
        "TRTGptModel maxSequenceLen: 4098",
    ),
    Row(
        "native-memory",
        b"Memory usage when calculating max tokens in paged kv cache",
        r"^Memory usage when calculating max tokens in paged kv cache: total: (?P<total>[\d.]+) GiB, available: [\d.]+ GiB",
        (("total", "memory.total_gib", number),),
        _SEEN,
        "Memory usage when calculating max tokens in paged kv cache: total: 79.10 GiB, available: 63.62 GiB",
    ),
    Row(
        "native-fraction",
        b"Both freeGpuMemoryFraction ",
        r"^Both freeGpuMemoryFraction .*\(to (?P<fraction>[\d.]+) and \d+",
        (("fraction", "memory.static_fraction", fraction),),
        _SEEN,
        "Both freeGpuMemoryFraction (aka kv_cache_free_gpu_mem_fraction) and maxTokens (aka max_tokens_in_paged_kv_cache) are "
        "set (to 0.850000 and 8192, respectively). The smaller value will be used.",
    ),
    Row(
        "bench-fraction",
        b"KV Memory Percentage:",
        r"^KV Memory Percentage:\s+(?P<percent>[\d.]+)%",
        (("percent", "memory.static_fraction", percent),),
        "resolved",
        "KV Memory Percentage:   90.00%",
    ),
    Row(
        "kv-dtype-asked",
        b"Validating KV Cache config against kv_cache_dtype",
        r"^Validating KV Cache config against kv_cache_dtype=\"(?P<dtype>\w+)\"",
        (("dtype", "kv_cache.dtype", text),),
        "requested",
        'Validating KV Cache config against kv_cache_dtype="auto"',
        since="0.20.0",
    ),
    Row(
        "reuse",
        b"KV cache block reuse is ",
        r"^KV cache block reuse is (?P<what>disabled|enabled)",
        (("what", "kv_cache.prefix_caching", lambda words: words == "enabled"),),
        "resolved",
        "KV cache block reuse is disabled",
    ),
    Row(
        "native-reuse",
        b"enable_kv_cache_reuse is not specified",
        r"^enable_kv_cache_reuse is not specified, will be set to (?P<what>true|false)",
        (("what", "kv_cache.prefix_caching", boolean),),
        "resolved",
        "enable_kv_cache_reuse is not specified, will be set to false",
    ),
    Row(
        "page-size",
        b"[SequenceInfo:]",
        r"^\[SequenceInfo:\] self\.max_seq_len=(?P<length>\d+), self\.max_batch_size=(?P<batch>\d+), "
        r"self\.page_size=(?P<page>\d+), self\.max_num_tokens=(?P<tokens>\d+)",
        (
            ("length", "model.max_len", positive),
            ("batch", "scheduler.max_num_seqs", positive),
            ("page", "kv_cache.block_size", integer),
            ("tokens", "scheduler.max_num_batched_tokens", positive),
        ),
        "resolved",
        "[SequenceInfo:] self.max_seq_len=16384, self.max_batch_size=64, self.page_size=64, self.max_num_tokens=8192 (inferred)",
    ),
)
