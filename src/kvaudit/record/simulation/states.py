"""Bytes of the recurrent state that one layer keeps for one sequence, and the attention block that holds as much.

Room: `record`, simulation. Shapes of vLLM's MambaStateShapeCalculator (0.17 to 0.33): gated delta nets (Qwen3-Next, 3.5 and
newer) and Mamba 2 (Nemotron-H). Other recurrent layers are not known here.
"""

from __future__ import annotations

from typing import Any

from kvaudit.record.simulation.setup import Setup, UnpredictableError

_GATED_DELTA_NET = frozenset({"qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"})
_MAMBA_2 = frozenset({"nemotron_h"})
FAMILIES = _GATED_DELTA_NET | _MAMBA_2
KEEPS_EVERY_STATE = _MAMBA_2
"""Families whose states are cached for every block (`all`) where prefix caching is on, before 0.28."""
_WIDTHS = {"float32": 4, "bfloat16": 2, "float16": 2}
_ALIGNMENT = 16


def state_bytes(setup: Setup) -> int:
    """Bytes of a layer's state on one rank, unpadded. Raises `UnpredictableError` where its shape is not known."""
    model_type = str(setup.config.get("model_type"))
    if model_type in _GATED_DELTA_NET:
        return _gated_delta_net(setup)
    if model_type in _MAMBA_2:
        return _mamba_2(setup)
    raise UnpredictableError(f"the size of the recurrent state of {model_type} is not known")


def derived_block(setup: Setup, token_bytes: int) -> int:
    """The attention block, in tokens, that vLLM derives: the smallest multiple of 16 whose page holds the state.

    `token_bytes` is what one token takes in one attention layer.
    """
    unit = _ALIGNMENT * token_bytes
    return max(_ALIGNMENT * -(-state_bytes(setup) // unit), setup.block_size)


def _gated_delta_net(setup: Setup) -> int:
    config = setup.config
    conv, key_heads, value_heads, key_size, value_size = _numbers(
        config,
        "linear_conv_kernel_dim",
        "linear_num_key_heads",
        "linear_num_value_heads",
        "linear_key_head_dim",
        "linear_value_head_dim",
    )
    channels = _shared(2 * key_heads * key_size + value_heads * value_size, setup.tensor)
    convolution = (conv - 1 + setup.speculative_tokens) * channels * int(setup.model_width)
    recurrent = _shared(value_heads, setup.tensor) * value_size * key_size
    return convolution + recurrent * _width(config.get("mamba_ssm_dtype"), setup)


def _mamba_2(setup: Setup) -> int:
    config = setup.config
    if setup.speculative_tokens or config.get("mamba_ssm_cache_dtype") is None:
        raise UnpredictableError("the size of the recurrent state depends on the release")
    conv, groups, heads, head_size, size = _numbers(
        config, "conv_kernel", "n_groups", "mamba_num_heads", "mamba_head_dim", "ssm_state_size"
    )
    groups += 0 if groups % setup.tensor == 0 else setup.tensor - groups
    channels = _shared(heads * head_size + 2 * groups * size, setup.tensor)
    convolution = (conv - 1) * channels * int(setup.model_width)
    recurrent = _shared(heads, setup.tensor) * head_size * size
    return convolution + recurrent * _width(config.get("mamba_ssm_cache_dtype"), setup)


def _numbers(config: dict[str, Any], *keys: str) -> list[int]:
    found = [config.get(key) for key in keys]
    missing = next((key for key, number in zip(keys, found, strict=True) if not isinstance(number, int)), None)
    if missing is not None:
        raise UnpredictableError(f"the checkpoint does not state {missing}")
    return [number for number in found if isinstance(number, int)]


def _shared(count: int, ranks: int) -> int:
    if count % ranks:
        raise UnpredictableError(f"{count} channels do not divide over {ranks} ranks")
    return count // ranks


def _width(name: Any, setup: Setup) -> int:
    return _WIDTHS.get(str(name), int(setup.model_width)) if name else int(setup.model_width)
