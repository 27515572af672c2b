"""Words of vLLM's lines as recorded values. A converter returns None for what it does not know: the value is dropped.

Room: pure functions of one string, used by the row tables.
"""

from __future__ import annotations

from kvaudit.parsers.converters import number, text
from kvaudit.parsers.repr_split import mapping
from kvaudit.patterns import LatePattern

_DRAFTER = LatePattern(r"Draft|Eagle|MTP|Medusa|MLPSpeculator")
_ATTENTION = {
    "flash attention": "FLASH_ATTN",
    "flashattention-2": "FLASH_ATTN",
    "flashattention": "FLASH_ATTN",
    "flashinfer": "FLASHINFER",
    "xformers": "XFORMERS",
    "triton": "TRITON_ATTN",
    "triton attention": "TRITON_ATTN",
    "triton mla": "TRITON_MLA",
    "flashmla": "FLASHMLA",
    "cutlass mla": "CUTLASS_MLA",
    "flashinfer mla": "FLASHINFER_MLA",
    "flashattention mla": "FLASH_ATTN_MLA",
    "sparse mla": "FLASHMLA_SPARSE",
    "flashmla sparse": "FLASHMLA_SPARSE",
    "flexattention": "FLEX_ATTENTION",
    "tree attention": "TREE_ATTN",
    "torch sdpa": "TORCH_SDPA",
    "rocmflashattention": "ROCM_FLASH",
    "rocm attention": "ROCM_ATTN",
    "aiter mla": "ROCM_AITER_MLA",
    "aiter triton mla": "ROCM_AITER_TRITON_MLA",
    "aiter flash attention": "ROCM_AITER_FA",
    "aiter unified attention": "ROCM_AITER_UNIFIED_ATTN",
    "pallas": "PALLAS",
    "pallas v1": "PALLAS",
    "ipex": "IPEX",
}

_PLUGIN_PLATFORMS = {"ascend": "npu", "tpu_inference": "tpu", "gaudi": "hpu"}


def percent(text: str) -> float | None:
    """`39.4` (per cent) as the fraction 0.394."""
    value = number(text)
    return None if value is None else round(value / 100, 6)


def switched(words: str) -> bool | None:
    """`enabled` and `disabled`."""
    return {"enabled": True, "disabled": False}.get(words)


def plugin_platform(words: str) -> str:
    """A platform by the name of its plugin: `ascend` is `npu`; others are named as their platform, such as `neuron`."""
    return _PLUGIN_PLATFORMS.get(words.lower(), words.lower())


def attention_backend(words: str) -> str | None:
    """Every era's spelling of an attention backend in today's capitals: `Flash Attention` is `FLASH_ATTN`."""
    name = words.strip().strip("'\"").removeprefix("AttentionBackendEnum.").removeprefix("_Backend.")
    if not name:
        return None
    return _ATTENTION.get(name.lower(), name.upper().replace(" ", "_") if not name.isupper() else name)


def candidates(words: str) -> list[str] | None:
    """The candidate list of an attention backend line: a list or tuple repr."""
    inside = words.strip().rstrip(".").strip("[]()")
    names = [name for part in inside.split(",") if (name := attention_backend(part))]
    return names or None


def device_names(words: str) -> list[str]:
    """A device name out of a file name: `NVIDIA_H100_80GB_HBM3` as one name with blanks, in a list."""
    return [words.replace("_", " ").strip()]


def kv_dtype(words: str) -> str | None:
    """A KV element type as a worker names it."""
    return words.strip().strip("'\"").rstrip(".,").removeprefix("torch.") or None


def target_architecture(words: str) -> str | None:
    """An architecture class, unless it is a drafter's (`...Eagle3`, `...MTP`, `DFlashDraftModel`)."""
    return None if _DRAFTER.search(words) else text(words)


def sampling_defaults(words: str) -> str | None:
    """The overridden sampling parameters as sorted `k=v` text."""
    values, whole = mapping(words)
    if not whole:
        return None
    return ", ".join(f"{key}={values[key]}" for key in sorted(values)) or "none"
