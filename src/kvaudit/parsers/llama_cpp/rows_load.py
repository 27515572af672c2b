"""Lines about one model file: the loader, its metadata, the tensors and where they went. Pure data.

The names before the colon: `print_info` and `load_tensors` since early 2025, `llm_load_print_meta` and `llm_load_tensors` before.
"""

from __future__ import annotations

from kvaudit.parsers.converters import integer, text
from kvaudit.parsers.llama_cpp.converters import quantization, size
from kvaudit.parsers.tables import Row

_META = r"\b(?:print_info|llm_load_print_meta): "

ROWS: tuple[Row, ...] = (
    Row(
        "loader",
        b"loaded meta data with ",
        r"\bloaded meta data with \d+ key-value pairs and \d+ tensors from (?P<path>.+?) \(version GGUF",
        (("path", "model.path", text),),
        "resolved",
        "llama_model_loader: loaded meta data with 24 key-value pairs and 290 tensors from /models/atlas.gguf (version GGUF V3)",
    ),
    Row(
        "stated-architecture",
        b"general.architecture ",
        r"\bllama_model_loader: - kv +\d+: +general\.architecture +str +=\s+(?P<name>\S+)",
        (("name", "model.architecture", text),),
        "stated",
        "llama_model_loader: - kv   0:                       general.architecture str              = llama",
    ),
    Row(
        "file-type",
        b"file type ",
        _META + r"file type +=\s+(?P<name>\S.*)",
        (("name", "model.quantization", quantization),),
        "resolved",
        "print_info: file type   = Q4_K - Medium",
    ),
    Row(
        "file-type",
        b"model ftype ",
        _META + r"model ftype +=\s+(?P<name>\S.*)",
        (("name", "model.quantization", quantization),),
        "resolved",
        "llm_load_print_meta: model ftype      = Q4_0",
        until="b4500",
    ),
    Row(
        "file-size",
        b"file size ",
        _META + r"file size +=\s+(?P<size>\d{1,12}(?:\.\d{1,9})? [KMGT]iB)",
        (("size", "model.weights_gib", size),),
        "resolved",
        "print_info: file size   = 4.58 GiB (4.89 BPW)",
    ),
    Row(
        "file-size",
        b"model size ",
        _META + r"model size +=\s+(?P<size>\d{1,12}(?:\.\d{1,9})? [KMGT]iB)",
        (("size", "model.weights_gib", size),),
        "resolved",
        "llm_load_print_meta: model size       = 3.56 GiB (4.54 BPW)",
        until="b4500",
    ),
    Row(
        "architecture",
        b"arch    ",
        _META + r"arch +=\s+(?P<name>\S+)",
        (("name", "model.architecture", text),),
        "resolved",
        "print_info: arch                  = llama",
    ),
    Row("vocabulary-only", b"vocab_only ", _META + r"vocab_only +=\s+1\b", (), "observed", "print_info: vocab_only       = 1"),
    Row(
        "vocabulary-only",
        b"vocab only - ",
        r"vocab only - skipping tensors",
        (),
        "observed",
        "llama_model_load: vocab only - skipping tensors",
    ),
    Row(
        "dry-run",
        b"no_alloc ",
        _META + r"no_alloc +=\s+1\b",
        (),
        "observed",
        "print_info: no_alloc              = 1",
        since="b7900",
    ),
    Row(
        "trained-context",
        b"n_ctx_train ",
        _META + r"n_ctx_train +=\s+(?P<n_ctx_train>\d+)",
        (),
        "resolved",
        "print_info: n_ctx_train           = 131072",
    ),
    Row(
        "layers",
        b"n_layer ",
        _META + r"n_layer +=\s+(?P<count>\d+)",
        (("count", "model.layers", integer),),
        "resolved",
        "print_info: n_layer               = 32",
    ),
    Row(
        "kv-heads",
        b"n_head_kv ",
        _META + r"n_head_kv +=\s+(?P<count>\d+)",
        (("count", "model.kv_heads", integer),),
        "resolved",
        "print_info: n_head_kv             = 8",
    ),
    Row(
        "head-size",
        b"n_embd_head_k ",
        _META + r"n_embd_head_k +=\s+(?P<count>\d+)",
        (("count", "model.head_dim", integer),),
        "resolved",
        "print_info: n_embd_head_k         = 128",
    ),
    Row(
        "offloaded",
        b" layers to GPU",
        r"\boffloaded (?P<layers>\d+/\d+) layers to GPU",
        (("layers", "offload.gpu_layers", text),),
        "resolved",
        "load_tensors: offloaded 33/33 layers to GPU",
    ),
    Row(
        "model-buffer",
        b" buffer size = ",
        r"\b(?:load_tensors|llm_load_tensors): +(?P<device>\S.*?)(?: model)? buffer size = +(?P<mib>\d{1,12}(?:\.\d{1,9})?) MiB",
        (),
        "observed",
        "load_tensors:        CUDA0 model buffer size =  4403.49 MiB",
    ),
)
