"""Data: what engines do with the KV scales of a checkpoint, and without them.

Room: `record`, inspection. Read in the sources of vLLM 0.5.4 to 0.33.0 (`BaseKVCacheMethod`, `CompressedTensorsKVCacheMethod`)
and SGLang 0.4.1 to 0.5.23. What TensorRT-LLM does without scales was not read.
"""

from __future__ import annotations

_WITHOUT = (
    "vLLM quantizes with scale 1.0; it warns once (Using KV cache scaling factor 1.0), not with compressed-tensors since 0.16 "
    "nor with an unquantized checkpoint",
    "SGLang quantizes with scale 1.0; it warns only where --kv-cache-dtype fp8_e4m3 was typed",
    "TensorRT-LLM: not known",
)
_WITH = (
    "vLLM loads them where the cache is FP8, else ignores them without a word",
    "SGLang loads them where the cache is FP8; its line about missing scaling factors looks at --quantization-param-path only",
    "TensorRT-LLM: not known",
)
_PARTLY = (
    "vLLM uses 1.0 in layers without scales; where a layer has one of the two, it serves for K and V",
    "SGLang uses 1.0 in layers without scales",
    "TensorRT-LLM: not known",
)

BEHAVIOUR: dict[str, tuple[str, ...]] = {"none": _WITHOUT, "checkpoint": _WITH, "default_1.0": _WITH, "mixed": _PARTLY}
"""By the value of `kv_cache.scales`."""
