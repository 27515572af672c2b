"""Line formats of TGI 0.9 to 3.3. Pure data; the launcher's arguments are read by name in `arguments`."""

from __future__ import annotations

from kvaudit.fields import Stage
from kvaudit.parsers.converters import always, integer
from kvaudit.parsers.tables import Row, Table, marker
from kvaudit.patterns import LatePattern

_SEEN: Stage = "observed"
_DIGITS = LatePattern(r"\d+")


def _switch(text: str) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower())


def _largest(text: str) -> int | None:
    numbers = [int(digits) for digits in _DIGITS.findall(text) if len(digits) < 20]
    return max(numbers) if numbers else None


def _text(words: str) -> str | None:
    return words.strip() or None


FACTS = Table(
    (
        Row(
            "attention",
            b"Using attention ",
            r"^Using attention (?P<backend>[\w-]+) - Prefix caching (?P<caching>\w+)",
            (("backend", "attention.backend", _text), ("caching", "kv_cache.prefix_caching", _switch)),
            "resolved",
            "Using attention flashinfer - Prefix caching true",
            since="2.3.0",
        ),
        Row(
            "shard-attention",
            b"Using Attention = ",
            r"^Using Attention = (?P<backend>[\w-]+)",
            (("backend", "attention.backend", _text),),
            _SEEN,
            "Using Attention = flashinfer",
        ),
        Row(
            "shard-caching",
            b"Using prefix caching = ",
            r"^Using prefix caching = (?P<caching>\w+)",
            (("caching", "kv_cache.prefix_caching", _switch),),
            _SEEN,
            "Using prefix caching = False",
        ),
        Row(
            "shard-chunking",
            b"Using prefill chunking = ",
            r"^Using prefill chunking = (?P<chunking>\w+)",
            (("chunking", "scheduler.chunked_prefill", _switch),),
            _SEEN,
            "Using prefill chunking = True",
        ),
        Row(
            "sharding",
            b"Sharding model on ",
            r"^Sharding model on (?P<count>\d+) processes",
            (("count", "parallel.tensor", integer), ("count", "parallel.gpus", integer)),
            "resolved",
            "Sharding model on 2 processes",
        ),
        Row(
            "blocks",
            b"KV-cache blocks: ",
            r"^KV-cache blocks: (?P<blocks>\d+), size: (?P<size>\d+)",
            (("blocks", "kv_cache.blocks", integer), ("size", "kv_cache.block_size", integer)),
            _SEEN,
            "KV-cache blocks: 52719, size: 1",
            since="2.4.0",
        ),
        Row(
            "total-tokens",
            b"total tokens defaulted to ",
            r"^Maximum total tokens defaulted to (?P<length>\d+)",
            (("length", "model.max_len", integer),),
            "resolved",
            "Maximum total tokens defaulted to 8000",
            since="3.0.0",
        ),
        Row(
            "default-total-tokens",
            b"max_total_tokens` to ",
            r"^Default `max_total_tokens` to (?P<length>\d+)",
            (("length", "model.max_len", integer),),
            "resolved",
            "Default `max_total_tokens` to 4096",
        ),
        Row(
            "prefill-tokens",
            b"max_batch_prefill_tokens` to ",
            r"^Default `max_batch_prefill_tokens` to (?P<tokens>\d+)",
            (("tokens", "scheduler.max_num_batched_tokens", integer),),
            "resolved",
            "Default `max_batch_prefill_tokens` to 8000",
        ),
        Row(
            "reduced-prefill",
            b"Reducing the max batch prefill from ",
            r"^Reducing the max batch prefill from \d+ to (?P<tokens>\d+)",
            (("tokens", "scheduler.max_num_batched_tokens", integer),),
            "resolved",
            "Reducing the max batch prefill from 8000 to 4096 because there is not enough VRAM to support it.",
            pick="last",
        ),
        Row(
            "graphs",
            b"Cuda Graphs are enabled for sizes ",
            r"^Cuda Graphs are enabled for sizes (?P<sizes>\[[\d, ]+\])",
            (("sizes", "graphs.capture_max", _largest), ("sizes", "graphs.enforce_eager", always(False))),
            _SEEN,
            "Cuda Graphs are enabled for sizes [32, 16, 8, 4, 2, 1]",
        ),
        Row(
            "graphs-off",
            b"Cuda Graphs are disabled",
            r"^(?P<what>Cuda Graphs are disabled)",
            (("what", "graphs.enforce_eager", always(True)),),
            _SEEN,
            "Cuda Graphs are disabled (CUDA_GRAPHS=None).",
        ),
        Row(
            "system",
            b"Detected system ",
            r"^Detected system (?P<system>cuda|rocm|ipex|xpu|cpu)",
            (("system", "engine.platform", _text),),
            _SEEN,
            "Detected system cuda",
        ),
        Row(
            "kv-scales",
            b"Using FP8 KV cache scales",
            r"^(?P<what>Using FP8 KV cache scales)",
            (("what", "clue.kv_dtype_worker", always("fp8_e4m3")),),
            _SEEN,
            "Using FP8 KV cache scales",
            since="2.4.0",
            pick="first",
        ),
        Row(
            "commit",
            b"Commit sha: ",
            r"^Commit sha: (?P<commit>[0-9a-f]{7,40})$",
            (("commit", "engine.build", _text),),
            _SEEN,
            "Commit sha: 0123456789abcdef0123456789abcdef01234567",
        ),
    )
)
WEIGHTS = {"reduced-prefill": 1, "total-tokens": 1}

LIFE = Table(
    (
        marker("opener", b"Args {", r"^Args \{", 'Args { model_id: "acme/tiny-llama", revision: None }'),
        marker("arguments", b"Args {", r"^(?P<body>Args \{.*)$", 'Args { model_id: "acme/tiny-llama", revision: None }'),
        marker("shard", b"Starting shard rank=", r"^Starting shard rank=(?P<rank>\d+)", "Starting shard rank=0"),
        marker("ready", b"Connected", r"^Connected$", "Connected"),
        marker("failed", b"failed to start", r"^Shard \d+ failed to start", "Shard 0 failed to start"),
        marker("failed", b"ShardCannotStart", r"ShardCannotStart", "Error: ShardCannotStart"),
        marker(
            "failed",
            b"Not enough memory to handle ",
            r"Not enough memory to handle ",
            "Not enough memory to handle 8000 prefill tokens.",
        ),
        marker("failed", b"Download encountered an error", r"^Download encountered an error", "Download encountered an error: "),
        marker("failed", b" terminated", r"^Shard \d+ terminated", "Shard 0 terminated"),
        marker("failed", b" crashed", r"^Shard \d+ crashed", "Shard 0 crashed"),
        marker("failed", b"Webserver Crashed", r"^Webserver Crashed", "Webserver Crashed"),
        marker("stopped", b"shutting down", r"shutting down", "signal received, shutting down"),
        marker("stopped", b"Terminating shard", r"^Terminating shard", "Terminating shard"),
        marker(
            "exception",
            b"Error: ",
            r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception)): (?P<what>.*)$",
            "torch.OutOfMemoryError: CUDA out of memory.",
        ),
    )
)

NOTICES = Table(
    (
        marker(
            "prefix-caching-forced-off",
            b"isabling prefix caching",
            r"[Dd]isabling prefix caching",
            "Disabling prefix caching because of VLM model",
        ),
        marker(
            "kv-scales-ignored",
            b"Ignoring FP8 KV cache scales",
            r"^Ignoring FP8 KV cache scales",
            "Ignoring FP8 KV cache scales, supported only for float8_e4m3fn KV cache with flashinfer on CUDA",
        ),
        marker(
            "prefill-reduced",
            b"Reducing the max batch prefill from ",
            r"^Reducing the max batch prefill from ",
            "Reducing the max batch prefill from 8000 to 4096 because there is not enough VRAM to support it.",
        ),
    )
)
