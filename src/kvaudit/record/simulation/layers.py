"""The KV cache specification of every layer of a rank, as vLLM's models hand them to the planner.

Room: `record`, simulation. A specification says what kind a layer is, how many tokens a block holds and how many bytes a page
takes. Equal specifications are one entry with a count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from kvaudit.parsers.checkpoint import families
from kvaudit.parsers.checkpoint.layer_kinds import FULL, LINEAR, MAMBA, NONE, SLIDING
from kvaudit.record.simulation.releases import Release
from kvaudit.record.simulation.setup import DEFAULT_BLOCK, NVFP4, Setup, UnpredictableError
from kvaudit.record.simulation.states import FAMILIES, KEEPS_EVERY_STATE, derived_block

PREFIX_CACHING_UNKNOWN = "whether prefix caching is on, which recurrent states depend on, is not printed"


class Kind(Enum):
    """How a layer's blocks grow with the length of a request."""

    FULL = "full"
    SLIDING = "sliding"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Spec:
    """A layer: tokens a block, bytes a page; the window in tokens; how states are cached."""

    kind: Kind
    block: int
    page: int
    window: int = 0
    mode: str = ""

    def with_page(self, page: int) -> Spec:
        """The same layer with longer blocks, so that a page takes `page` bytes; a state is padded instead."""
        if self.kind is Kind.STATE:
            return replace(self, page=page)
        return replace(self, block=self.block * (page // self.page), page=page)


_SHARING = ("gemma3n", "gemma4")
"""Families whose last layers use the cache of earlier ones (`num_kv_shared_layers`)."""


def layer_specs(setup: Setup, width: float, release: Release) -> Counter[Spec]:
    """The specifications of one rank's layers, drafter included, with `width` bytes an element."""
    kinds = _kinds(setup.config)
    kinds[FULL] += setup.draft_layers
    if setup.pipeline > 1:
        kinds = _fullest_stage(kinds, setup)
    specs: Counter[Spec] = Counter()
    if kinds[LINEAR] or kinds[MAMBA]:
        specs.update(_recurrent(kinds, setup, width, release))
    else:
        specs[_full(setup, width, setup.block_size)] += kinds[FULL]
        if kinds[SLIDING]:
            specs[_sliding(setup, width, release)] += kinds[SLIDING]
    return +specs


def _kinds(config: dict[str, Any]) -> Counter[str]:
    """How many layers of each kind keep something in the cache."""
    attention, model_type, layers = config.get("attention"), str(config.get("model_type")), config.get("layers")
    if attention in ("plain", "mla") and isinstance(layers, int):
        if config.get("index_head_dim"):
            raise UnpredictableError("an indexer keeps a cache of its own beside the latent one")
        return Counter({FULL: layers})
    listed = config.get("layer_types")
    if attention == "sliding" and model_type in families.WINDOW_IN_EVERY_LAYER and isinstance(layers, int) and listed is None:
        return Counter({SLIDING: layers})
    if not _listed_kinds_hold(attention, model_type) or not isinstance(listed, list):
        raise UnpredictableError(_not_known(config, model_type))
    kinds = Counter(listed[: len(listed) - _shared_layers(config, model_type)])
    strange = next((kind for kind in kinds if kind not in (FULL, SLIDING, LINEAR, MAMBA, NONE)), None)
    if strange is not None:
        raise UnpredictableError(f"how layers of {strange} are allocated is not known")
    return kinds


def _not_known(config: dict[str, Any], model_type: str) -> str:
    why = config.get("why") or "the checkpoint does not describe its attention"
    return (
        str(why)
        if config.get("attention") == "unknown"
        else f"how vLLM allocates the layers of {model_type} is not known ({why})"
    )


def _listed_kinds_hold(attention: Any, model_type: str) -> bool:
    return (attention == "sliding" and model_type in families.WINDOW_BY_LAYER_LIST) or (
        attention == "hybrid" and model_type in FAMILIES
    )


def _shared_layers(config: dict[str, Any], model_type: str) -> int:
    shared = config.get("num_kv_shared_layers") or 0
    if shared and not model_type.startswith(_SHARING):
        raise UnpredictableError("layers share K and V")
    return int(shared)


def _fullest_stage(kinds: Counter[str], setup: Setup) -> Counter[str]:
    """The stage with the most layers binds; vLLM gives the rest of the division to stages in the middle."""
    if len(+kinds) != 1 or setup.draft_layers:
        raise UnpredictableError("pipeline stages may hold different kinds of layers")
    return Counter({kind: -(-count // setup.pipeline) for kind, count in kinds.items()})


def _full(setup: Setup, width: float, block: int) -> Spec:
    return Spec(Kind.FULL, block, block * full_token_bytes(setup, width))


def full_token_bytes(setup: Setup, width: float) -> int:
    """Bytes one token takes in one full layer of a rank; a latent vector is on every rank."""
    config = setup.config
    if config.get("attention") == "mla":
        rank, rope = config.get("kv_lora_rank"), config.get("qk_rope_head_dim")
        if not isinstance(rank, int) or not isinstance(rope, int):
            raise UnpredictableError("the checkpoint does not state the size of the latent vector")
        if width == NVFP4:
            raise UnpredictableError("how NVFP4 packs a latent vector is not known")
        return int((rank + rope) * width)
    head, value = config.get("head_dim"), config.get("value_head_dim")
    heads = config.get("kv_heads")
    if str(config.get("model_type")).startswith("gemma4"):
        head = config.get("global_head_dim") or head
        heads = config.get("num_global_key_value_heads") or heads if config.get("attention_k_eq_v") else heads
    return _token_bytes(setup, width, heads, head, value)


def _sliding(setup: Setup, width: float, release: Release) -> Spec:
    config = setup.config
    window = config.get("sliding_window")
    if not isinstance(window, int):
        raise UnpredictableError("the checkpoint does not state the size of the window")
    heads = config.get("swa_num_key_value_heads") or config.get("kv_heads")
    head = config.get("swa_head_dim") or config.get("head_dim")
    value = config.get("swa_v_head_dim") or config.get("value_head_dim")
    if value not in (None, head) and not release.values_in_windows:
        raise UnpredictableError("before vLLM 0.20 windowed layers ignore that K and V differ in size")
    block = DEFAULT_BLOCK if release.windows_own_block else setup.block_size
    page = block * _token_bytes(setup, width, heads, head, value)
    if not setup.hybrid_manager:
        return Spec(Kind.FULL, setup.block_size, setup.block_size * (page // block))
    return Spec(Kind.SLIDING, block, page, window)


def _token_bytes(setup: Setup, width: float, heads: Any, head: Any, value: Any) -> int:
    """Bytes of K and V of one token; KV heads are divided over the ranks, and repeated when there are more ranks than heads."""
    if not isinstance(heads, int) or not isinstance(head, int):
        raise UnpredictableError("the checkpoint does not state KV heads and head size")
    if heads % setup.tensor and setup.tensor % heads:
        raise UnpredictableError(f"{heads} KV heads do not divide over {setup.tensor} ranks")
    return int(max(1, heads // setup.tensor) * (head + (value or head)) * width)


def _recurrent(kinds: Counter[str], setup: Setup, width: float, release: Release) -> Counter[Spec]:
    """Full layers beside recurrent ones: the attention block holds as many bytes as a state, whose page is padded to it."""
    if setup.decode_context > 1 or setup.prefill_context > 1:
        raise UnpredictableError("context parallelism with recurrent states was not read")
    if not setup.hybrid_manager:
        raise UnpredictableError("recurrent layers without the hybrid manager")
    announced = width if release.block_after_loading else setup.announced_width
    if announced is None:
        raise UnpredictableError("the KV dtype of the engine line, from which the attention block was derived, is not known")
    token_bytes = full_token_bytes(setup, announced)
    block = setup.state_block or _derived(setup, token_bytes, release)
    mode = state_mode(setup, release)
    state = Spec(Kind.STATE, _state_block(setup, block, mode), block * token_bytes, mode=mode or "")
    attention = _full(setup, width, block)
    return Counter({attention: kinds[FULL], state: kinds[LINEAR] + kinds[MAMBA]})


def _derived(setup: Setup, token_bytes: int, release: Release) -> int:
    mode = state_mode(setup, release)
    if mode is None:
        raise UnpredictableError(PREFIX_CACHING_UNKNOWN)
    if not release.state_modes or mode == "all":
        raise UnpredictableError("the attention block size is not printed")
    return derived_block(setup, token_bytes)


def _state_block(setup: Setup, block: int, mode: str | None) -> int:
    """Tokens a block of states stands for: the whole context where states are not cached."""
    return block if mode in ("align", "all") else setup.max_model_len


def state_mode(setup: Setup, release: Release) -> str | None:
    """How recurrent states are cached; None where neither the command nor prefix caching says."""
    if setup.prefix_caching is None:
        return setup.state_mode
    keeps_all = setup.config.get("model_type") in KEEPS_EVERY_STATE
    if not setup.prefix_caching or (not release.state_modes and not keeps_all):
        return "none"
    if keeps_all and not release.aligned_only:
        return setup.state_mode if setup.state_mode in ("align", "all") else "all"
    return "align"
