"""Lines that name kernels: attention, MoE and linear backends, FlashAttention version, NCCL. Pure data.

Vision towers (`for vit attention`, `for ViT model`, `MMEncoderAttention`), all-reduce backends and MLA prefill backends use
similar words and must not match.
"""

from __future__ import annotations

from kvaudit.parsers.converters import text
from kvaudit.parsers.tables import Row
from kvaudit.parsers.vllm.converters import attention_backend, candidates, device_names

ROWS: tuple[Row, ...] = (
    Row(
        "attention-chosen",
        b" attention backend out of potential backends",
        r"^Using (?P<name>\S+) attention backend out of potential backends: (?P<candidates>[\[(].*?[\])])",
        (("name", "attention.backend", attention_backend), ("candidates", "clue.attention_candidates", candidates)),
        "resolved",
        "Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN', 'FLASHINFER', 'TRITON_ATTN'].",
        since="0.12.0",
        pick="first",
    ),
    Row(
        "attention-explicit",
        b" backend",
        r"^Using (?:AttentionBackendEnum\.|_Backend\.)?(?P<name>[A-Z][A-Z0-9_]+) backend"
        r"(?:\.$| \(selected via| out of potential backends: (?P<candidates>[\[(].*?[\])]))",
        (("name", "attention.backend", attention_backend), ("candidates", "clue.attention_candidates", candidates)),
        "resolved",
        "Using AttentionBackendEnum.TRITON_ATTN backend.",
        since="0.11.1",
        pick="first",
    ),
    Row(
        "attention-v1",
        b" on V1 engine",
        r"^Using (?P<name>[A-Z][\w/ -]*?) backend(?: with \w+ KV cache layout)?(?: for [\w ]+)? on V1 engine",
        (("name", "attention.backend", attention_backend),),
        "resolved",
        "Using Flash Attention backend on V1 engine.",
        since="0.7.0",
        until="0.11.0",
        pick="first",
    ),
    Row(
        "attention-v0",
        b" backend.",
        r"^Using (?P<name>FlashAttention-2|Flash Attention|XFormers|Flash[Ii]nfer|FlashMLA|Triton MLA|ROCmFlashAttention|"
        r"Torch SDPA|Pallas(?: V1)?|IPEX) backend\.",
        (("name", "attention.backend", attention_backend),),
        "resolved",
        "Using Flash Attention backend.",
        since="0.4.2",
        until="0.10.2",
        pick="first",
    ),
    Row(
        "attention-in-words",
        b" backend.",
        r"^Using (?P<name>(?:Triton|Rocm|Aiter Flash|Aiter Unified) Attention|AITER(?: TRITON)? MLA|FlexAttention|Triton) "
        r"backend\.$",
        (("name", "attention.backend", attention_backend),),
        "resolved",
        "Using Triton Attention backend.",
        since="0.12.0",
        until="0.33.0",
        pick="first",
    ),
    Row(
        "attention-overridden",
        b"with AttentionType.DECODER. Overriding with ",
        r"with AttentionType\.DECODER\. Overriding with (?P<name>[A-Z][A-Z0-9_]+) out of potential backends: "
        r"(?P<candidates>[\[(].*?[\])])",
        (("name", "attention.backend", attention_backend), ("candidates", "clue.attention_candidates", candidates)),
        "resolved",
        "Found incompatible backend(s) [TRITON_MLA] with AttentionType.DECODER. Overriding with ROCM_AITER_MLA out of potential "
        "backends: ['ROCM_AITER_MLA', 'ROCM_AITER_TRITON_MLA'].",
        since="0.20.0",
        pick="first",
    ),
    Row(
        "flash-attention-version",
        b"Using FlashAttention version ",
        r"^Using FlashAttention version (?P<version>\d)",
        (("version", "clue.flash_attention_version", text),),
        "resolved",
        "Using FlashAttention version 3",
        since="0.17.0",
        pick="first",
    ),
    Row(
        "device-name",
        b"device_name=",
        r"device_name=(?P<name>[A-Za-z0-9_-]+)",
        (("name", "clue.device_names", device_names),),
        "observed",
        "Using configuration from /opt/configs/E=64,N=512,device_name=NVIDIA_H100_80GB_HBM3.json for MoE layer.",
        since="0.4.2",
        pick="first",
    ),
    Row(
        "moe-oracle",
        b" MoE backend",
        r"^Using '?(?P<name>[A-Za-z0-9_]+(?: [A-Z]+)?)'? \w+ MoE backend",
        (("name", "moe.backend", text),),
        "resolved",
        "Using 'FLASHINFER_CUTLASS' NvFp4 MoE backend out of potential backends: ['FLASHINFER_CUTLASS', 'MARLIN'].",
        since="0.16.0",
        pick="first",
    ),
    Row(
        "moe-for-format",
        b" MoE",
        r"^Using (?P<name>[A-Z][\w ]*?) backend for (?:FP8|Unquantized|MXFP4|NVFP4|NvFp4) MoE",
        (("name", "moe.backend", text),),
        "resolved",
        "Using Triton backend for FP8 MoE",
        since="0.11.2",
        until="0.16.0",
        pick="first",
    ),
    Row(
        "moe-gpt-oss",
        b" backend",
        r"^Using (?P<name>Marlin|Triton|FlashInfer MXFP4 (?:BF16|MXFP8(?: TRTLLM| CUTLASS)?)) backend(?: for SM\d+)?$",
        (("name", "moe.backend", text),),
        "resolved",
        "Using Marlin backend",
        since="0.10.2",
        until="0.18.0",
        pick="first",
    ),
    Row(
        "linear-kernel",
        b"Kernel for ",
        r"^(?:Using|Selected) (?P<name>\w+Kernel) for \w+",
        (("name", "linear.backend", text),),
        "resolved",
        "Using MarlinLinearKernel for CompressedTensorsWNA16",
        since="0.6.6",
        pick="first",
    ),
    Row(
        "linear-nvfp4",
        b" for NVFP4 GEMM",
        r"^Using (?:NvFp4LinearBackend\.)?(?P<name>[\w-]+) for NVFP4 GEMM",
        (("name", "linear.backend", text),),
        "resolved",
        "Using NvFp4LinearBackend.FLASHINFER_CUTLASS for NVFP4 GEMM",
        since="0.16.0",
        pick="first",
    ),
)
