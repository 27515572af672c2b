"""Lines about one context: its sizes, its KV caches with types and placement, flash attention. Pure data.

The names before the colon changed: `llama_new_context_with_model` (2024), `llama_init_from_model` (b4798), `llama_context`
(b4933 and newer); `llama_kv_cache_init`, `init` (b4933), `llama_kv_cache_unified` (b5285 to b6050), `llama_kv_cache` (b6301 on).
Sizes are MiB = 2^20 bytes; cells are counted per stream, and the number behind the slash of `4/4 seqs` is the streams.
"""

from __future__ import annotations

from kvaudit.parsers.converters import integer
from kvaudit.parsers.llama_cpp.converters import attention
from kvaudit.parsers.tables import Row

_CONTEXT = r"\b(?:llama_context|llama_new_context_with_model|llama_init_from_model): "
_CACHE = r"\b(?:llama_kv_cache\w*|llama_new_context_with_model|llama_init_from_model|llama_context|init): +"
_TYPES = r"K \((?P<k>[^)\s]+)\): +[\d.]+ MiB, V \((?P<v>[^)\s]+)\): +[\d.]+ MiB"

ROWS: tuple[Row, ...] = (
    Row(
        "context",
        b"constructing llama_context",
        r"\bconstructing llama_context",
        (),
        "observed",
        "llama_context: constructing llama_context",
        since="b5456",
    ),
    Row(
        "sequences",
        b"n_seq_max ",
        _CONTEXT + r"n_seq_max +=\s+(?P<n_seq_max>\d+)",
        (("n_seq_max", "scheduler.max_num_seqs", integer),),
        "resolved",
        "llama_context: n_seq_max     = 4",
        since="b3700",
    ),
    Row("cells", b" n_ctx ", _CONTEXT + r"n_ctx +=\s+(?P<n_ctx>\d+)", (), "resolved", "llama_context: n_ctx         = 32768"),
    Row(
        "length",
        b"n_ctx_",
        _CONTEXT + r"n_ctx_(?:per_)?seq +=\s+(?P<n_ctx_seq>\d+)",
        (("n_ctx_seq", "model.max_len", integer),),
        "resolved",
        "llama_context: n_ctx_seq     = 8192",
        since="b4500",
    ),
    Row(
        "length-against-training",
        b"n_ctx_train (",
        r"\bn_ctx_(?:per_|pre_)?seq \((?P<n_ctx_seq>\d+)\) [<>] n_ctx_train \((?P<n_ctx_train>\d+)\)",
        (("n_ctx_seq", "model.max_len", integer),),
        "resolved",
        "llama_context: n_ctx_seq (8192) < n_ctx_train (131072) -- the full capacity of the model will not be utilized",
    ),
    Row(
        "batch",
        b"n_batch ",
        _CONTEXT + r"n_batch +=\s+(?P<tokens>\d+)",
        (("tokens", "scheduler.max_num_batched_tokens", integer),),
        "resolved",
        "llama_context: n_batch       = 2048",
    ),
    Row(
        "batch",
        b"n_batch is less than ",
        _CONTEXT + r"n_batch is less than GGML_KQ_MASK_PAD - increasing to (?P<tokens>\d+)",
        (("tokens", "scheduler.max_num_batched_tokens", integer),),
        "resolved",
        "llama_context: n_batch is less than GGML_KQ_MASK_PAD - increasing to 64",
    ),
    Row(
        "flash-attention",
        b"flash_attn ",
        _CONTEXT + r"flash_attn +=\s+(?P<word>0|1|enabled|disabled|auto)\b",
        (("word", "attention.backend", attention),),
        "resolved",
        "llama_context: flash_attn    = enabled",
    ),
    Row(
        "flash-resolved",
        b"Flash Attention ",
        r"\bFlash Attention (?:was auto, set to |not supported, set to )?(?P<word>enabled|disabled)\b",
        (("word", "attention.backend", attention),),
        "resolved",
        "sched_reserve: Flash Attention was auto, set to enabled",
        since="b6451",
    ),
    Row(
        "flash-forced-off",
        b" - forcing off",
        r"\bflash_attn (?:is not compatible with .*|requires .*) - forcing (?P<word>off)",
        (("word", "attention.backend", attention),),
        "resolved",
        "llama_init_from_model: flash_attn is not compatible with Grok - forcing off",
        until="b9000",
    ),
    Row(
        "kv-size",
        b" cells, ",
        r"\bllama_kv_cache\w*: size = +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB \( *(?P<cells>\d{1,15}) cells, "
        r"+(?P<layers>\d{1,15}) layers"
        r"(?:, +\d+(?:/ *(?P<streams>\d{1,15}))? seqs)?\), " + _TYPES,
        (),
        "observed",
        "llama_kv_cache: size = 4096.00 MiB (  8192 cells,  32 layers,  4/4 seqs), K (f16): 2048.00 MiB, V (f16): 2048.00 MiB",
        since="b5456",
    ),
    Row(
        "recurrent-size",
        b"llama_memory_recurrent: size",
        r"\bllama_memory_recurrent: size = +\d+(?:\.\d+)? MiB",
        (),
        "observed",
        "llama_memory_recurrent: size =    0.02 MiB (     4 cells,   4 layers,  4 seqs), R (f32):    0.02 MiB, S (f32): 0.00 MiB",
        since="b6000",
    ),
    Row(
        "kv-self-size",
        b"KV self size ",
        r"\bKV self size += +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB, " + _TYPES,
        (),
        "observed",
        "llama_context: KV self size  =  576.00 MiB, K (f16):  288.00 MiB, V (f16):  288.00 MiB",
        until="b5456",
    ),
    Row(
        "kv-self-size",
        b"KV self size ",
        r"\bKV self size += +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB, c\^KV \((?P<type>[^)\s]+)\): +[\d.]+ MiB, kv\^T: not used",
        (),
        "observed",
        "llama_new_context_with_model: KV self size  = 1166.62 MiB, c^KV (q8_0): 1166.62 MiB, kv^T: not used",
    ),
    Row(
        "kv-self-size",
        b"KV self size ",
        r"\bKV self size += +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB, c\^KV \((?P<k>[^)\s]+)\): +[\d.]+ MiB, "
        r"kv\^T \((?P<v>[^)\s]+)\): +[\d.]+ MiB",
        (),
        "observed",
        "llama_new_context_with_model: KV self size  = 2074.00 MiB, c^KV (f16): 1098.00 MiB, kv^T (f16):  976.00 MiB",
    ),
    Row(
        "kv-self-size-untyped",
        b"kv self size ",
        r"\bkv self size += +(?P<mib>\d{1,12}(?:\.\d{1,9})?) M(?:i)?B",
        (),
        "observed",
        "llama_new_context_with_model: kv self size  =  256.00 MiB",
        until="b1700",
    ),
    Row(
        "kv-cells",
        b"kv_size = ",
        _CACHE + r"kv_size = (?P<cells>\d{1,15}), ",
        (),
        "observed",
        "llama_kv_cache_init: kv_size = 8192, offload = 1, type_k = 'f16', type_v = 'f16', n_layer = 32, can_shift = 1",
        until="b5456",
    ),
    Row(
        "kv-part",
        b"KV cache, size = ",
        r"\bcreating +(?P<part>[\w-]+) KV cache, size = (?P<cells>\d{1,15}) cells",
        (),
        "observed",
        "llama_kv_cache_iswa: creating     SWA KV cache, size = 2560 cells",
        since="b5427",
    ),
    Row(
        "kv-buffer",
        b" KV buffer size = ",
        _CACHE + r"(?P<device>\S.*?) KV buffer size = +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB",
        (),
        "observed",
        "llama_kv_cache:      CUDA0 KV buffer size =  4096.00 MiB",
    ),
    Row(
        "kvarn-buffer",
        b" buffer size = ",
        r"\bllama_kv_cache_kvarn: +(?P<device>[\w()]+) KVarN (?:tail )?buffer size = +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB",
        (),
        "observed",
        "llama_kv_cache_kvarn:      CUDA0 KVarN buffer size =   812.00 MiB",
    ),
    Row(
        "kvarn",
        b"groups/stream = ",
        r"\bllama_kv_cache_kvarn: type = (?P<type>\S+), layers = (?P<layers>\d{1,15}), groups/stream = (?P<groups>\d{1,15}), "
        r"streams = (?P<streams>\d{1,15}), KVarN = (?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB",
        (),
        "observed",
        "llama_kv_cache_kvarn: type = kvarn_k4v2_g128, layers = 32, groups/stream = 64, streams = 1, KVarN = 812.00 MiB, "
        "equivalent F16 = 4096.00 MiB",
    ),
)
