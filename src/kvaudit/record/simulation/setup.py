"""What a start says of its KV cache, typed: everything the simulation needs except the element width.

Room: `record`, simulation. Shapes only. Sizes are in bytes, lengths in tokens, per rank where ranks differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from kvaudit.record.versions import Bounds

GIB = 1 << 30
ROUNDING_GIB = 0.0051
"""vLLM prints GiB with two decimals (`%.2f` to 0.13, `round(x, 2)` since 0.14); a little more for the binary fraction."""
DEFAULT_BLOCK = 16
"""Tokens a block where neither the command, the backend nor a hybrid model asked for another size (CUDA and ROCm)."""
NVFP4 = 0.5625
"""Bytes an element in vLLM's packed NVFP4 KV: half a byte, and one FP8 scale for sixteen elements."""

StateMode = Literal["none", "align", "all"]


class UnpredictableError(Exception):
    """The capacity cannot be predicted; `str()` says which fact is missing or which layout is not known."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One start.

    `config` is what `parsers.checkpoint.geometry` returns. `version` None is a build whose version says nothing.
    """

    config: dict[str, Any]
    version: Bounds | None
    tensor: int
    max_model_len: int
    pipeline: int = 1
    decode_context: int = 1
    prefill_context: int = 1
    batched_tokens: int | None = None
    """`max_num_batched_tokens`; windows hold this many tokens beside their own."""
    asynchronous: bool | None = None
    """Asynchronous scheduling: since 0.26 windows hold two batches then."""
    block_size: int = DEFAULT_BLOCK
    state_block: int | None = None
    """`Setting attention block size to N`, printed for models with recurrent layers."""
    announced_width: float | None = None
    """Bytes an element of the KV dtype in the engine line: to 0.19 the block of hybrid models follows it."""
    model_width: float = 2.0
    draft_layers: int = 0
    """Attention layers of the drafter, of the same shape as the model's full layers."""
    speculative_tokens: int = 0
    prefix_caching: bool | None = None
    state_mode: StateMode | None = None
    """How recurrent states are cached, where the command says."""
    hybrid_manager: bool = True
    """False: windowed layers are allocated like full ones."""
