"""What a decoder keeps in its KV cache: the family's attention, classified, and the arithmetic of plain attention.

Room: checkpoint parsers. Pure functions over a configuration: no file, no origin, no engine. `plain` is claimed only when
every layer is known to keep full K and V of one shape; whatever is not known is `unknown`, with the reason.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from kvaudit.parsers.checkpoint import families
from kvaudit.parsers.checkpoint.layer_kinds import CHUNKED, CONVOLUTION, FULL, LINEAR, MAMBA, NONE, SLIDING
from kvaudit.parsers.checkpoint.parameters import dense_parameters
from kvaudit.parsers.checkpoint.shape import Decoder, Found, head_dim_of, heads_of, hidden_of, kinds_of, kv_heads_of, layers_of
from kvaudit.parsers.checkpoint.values import as_list, as_object, count_of, flag, positive, word

Attention = Literal["plain", "mla", "hybrid", "sliding", "unknown"]

# Keys that the arithmetic of windows, latent and recurrent layers needs, kept under their own names.
_NUMBERS = (
    "attention_chunk_size",
    "conv_kernel",
    "global_head_dim",
    "index_head_dim",
    "kv_lora_rank",
    "linear_conv_kernel_dim",
    "linear_key_head_dim",
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_value_head_dim",
    "mamba_head_dim",
    "mamba_num_heads",
    "max_position_embeddings",
    "n_groups",
    "num_global_key_value_heads",
    "num_kv_shared_layers",
    "qk_nope_head_dim",
    "qk_rope_head_dim",
    "ssm_state_size",
    "swa_head_dim",
    "swa_num_key_value_heads",
    "swa_v_head_dim",
)
_WORDS = ("mamba_ssm_cache_dtype", "mamba_ssm_dtype")
_MTP_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "num_mtp_layers")
_VALUE_HEAD_DIM = ("v_head_dim", "value_head_dim")
# Keys whose presence means that K and V are shared, compressed, pruned or indexed in a way the tables do not describe.
_FOREIGN = ("compress_ratios", "sparse_attention_config", "cross_attention_layers", "use_cla", "cla_share_factor", "rswa_window")


SHAPE_COUNTS = ("layers", "heads", "kv_heads", "head_dim", "value_head_dim", "hidden_size", "sliding_window", *_NUMBERS)
"""The entries of `geometry` that are whole numbers where they are known."""


class Classified(NamedTuple):
    """The attention of a family and why it is taken for that."""

    attention: Attention
    why: str


def geometry(decoder: Decoder) -> dict[str, Any]:
    """Everything the KV arithmetic needs to know of a decoder, normalised; unknown entries are None or left out.

    `sliding_window` is the window in tokens where one is used, else None. `layer_types` lists the kinds of `layer_kinds`.
    """
    kinds, text = kinds_of(decoder), decoder.text
    classified = classify(decoder)
    described = {
        "model_type": decoder.model_type or None,
        "root_model_type": word(decoder.root.get("model_type")),
        "text_key": "/".join(decoder.path) or None,
        "layers": _value(layers_of(decoder)),
        "heads": _value(heads_of(decoder)),
        "kv_heads": _value(kv_heads_of(decoder)),
        "head_dim": _value(head_dim_of(decoder)),
        "value_head_dim": _value(decoder.first(_VALUE_HEAD_DIM)),
        "hidden_size": _value(hidden_of(decoder)),
        "attention": classified.attention,
        "why": classified.why,
        "layer_types": kinds.kinds if kinds else None,
        "layer_types_from": kinds.source if kinds else None,
        "sliding_window": window(decoder),
        "mtp_layers": _value(decoder.first(_MTP_KEYS)) or 0,
        "mtp_attention_layers": mtp_attention_layers(decoder),
        "dense_parameters": dense_parameters(decoder),
    }
    described |= {key: number for key in _NUMBERS if (number := count_of(text.get(key))) is not None}
    if decoder.model_type.startswith("mimo_v2"):
        described.pop("attention_chunk_size", None)  # stated, but its layers do not use it (vLLM 0.33)
    described |= {key: name for key in _WORDS if (name := word(text.get(key))) is not None}
    if (equal := flag(text.get("attention_k_eq_v"))) is not None:
        described["attention_k_eq_v"] = equal
    return described | _other_setting(text)


def mtp_attention_layers(decoder: Decoder) -> int | None:
    """Layers with attention that the checkpoint's own draft module (multi-token prediction) adds to the KV cache.

    Nemotron-H lists the layers of the module; elsewhere it is one decoder layer a module. None where several modules are
    stated, because how many of them draft is a choice of the run, and where none is.
    """
    text, modules = decoder.text, _value(decoder.first(_MTP_KEYS))
    if modules != 1:
        return None
    letters, listed = text.get("mtp_hybrid_override_pattern"), as_list(text.get("mtp_layers_block_type"))
    if isinstance(letters, str) and letters:
        return letters.count("*")
    return sum(item in ("attention", FULL) for item in listed) if listed else 1


def _other_setting(text: dict[str, Any]) -> dict[str, int]:
    """Step 3.5 states the shape of its windowed layers apart, under `attention_other_setting`."""
    other = as_object(text.get("attention_other_setting"))
    if other.get("attention_type") != SLIDING:
        return {}
    stated = {"swa_num_key_value_heads": "num_attention_groups", "swa_head_dim": "head_dim"}
    return {name: number for name, key in stated.items() if (number := positive(other.get(key))) is not None}


def _value(found: Found | None) -> int | None:
    return found.value if found else None


def window(decoder: Decoder) -> int | None:
    """The sliding window in tokens where the model uses one. Qwen states a window that is switched off."""
    text, use = decoder.text, decoder.text.get("use_sliding_window")
    size = positive(text.get("sliding_window")) or positive(text.get("sliding_window_size"))
    if size is None or use is False:
        return None
    if use is not True and decoder.model_type in families.WINDOW_OFF_BY_DEFAULT:
        return None
    return size


def classify(decoder: Decoder) -> Classified:
    """The attention of a decoder. What the configuration says of its layers goes before what is known of the family."""
    model_type = decoder.model_type
    return (
        _unusual(decoder)
        or _latent(decoder)
        or _by_layers(decoder)
        or _by_family(decoder)
        or _plain(decoder)
        or Classified("unknown", f"the model type {model_type!r} stands in no table" if model_type else "no model_type")
    )


def _unusual(decoder: Decoder) -> Classified | None:
    text, model_type = decoder.text, decoder.model_type
    if model_type in families.OTHERWISE:
        return Classified("unknown", f"{model_type}: {families.OTHERWISE[model_type]}")
    if decoder.root.get("is_encoder_decoder") or text.get("is_encoder_decoder"):
        return Classified("unknown", "encoder and decoder")
    foreign = next((key for key in _FOREIGN if text.get(key)), None)
    return Classified("unknown", f"{foreign} is set") if foreign else None


def _latent(decoder: Decoder) -> Classified | None:
    if decoder.text.get("kv_lora_rank") is None:
        return None
    if decoder.model_type in families.RECURRENT:
        return Classified("hybrid", f"{decoder.model_type}: latent attention beside recurrent layers")
    if decoder.model_type in families.LATENT:
        indexer = ", an indexer cache beside it" if decoder.text.get("index_head_dim") else ""
        return Classified("mla", f"kv_lora_rank of {decoder.model_type}: one latent vector a token and layer{indexer}")
    return Classified("unknown", f"kv_lora_rank is set, but whether {decoder.model_type!r} keeps it latent is not known")


def _by_layers(decoder: Decoder) -> Classified | None:
    kinds = kinds_of(decoder)
    if kinds is None:
        return None
    seen = set(kinds.kinds)
    strange = sorted(seen - {FULL, SLIDING, CHUNKED, LINEAR, MAMBA, CONVOLUTION, NONE})
    if strange:
        return Classified("unknown", f"{kinds.source} holds {strange[0]!r}")
    if seen & {LINEAR, MAMBA, CONVOLUTION}:
        return Classified("hybrid", f"{kinds.source}: {_counted(kinds.kinds)}")
    if seen & {SLIDING, CHUNKED}:
        return Classified("sliding", f"{kinds.source}: {_counted(kinds.kinds)}")
    return Classified("unknown", f"{kinds.source}: {_counted(kinds.kinds)}") if NONE in seen else None


def _counted(kinds: list[str]) -> str:
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))


def _by_family(decoder: Decoder) -> Classified | None:
    """What is known of a family holds only if the configuration does not speak against it."""
    model_type, kinds = decoder.model_type, kinds_of(decoder)
    if kinds is not None and model_type in families.RECURRENT | families.WINDOWED:
        return Classified("unknown", f"{kinds.source} lists full attention only, unlike other {model_type} models")
    if model_type in families.RECURRENT:
        return Classified("hybrid", f"{model_type} has recurrent layers")
    if model_type not in families.WINDOWED:
        return None
    if window(decoder) is None and positive(decoder.text.get("attention_chunk_size")) is None:
        return Classified("unknown", f"{model_type} without a window size")
    return Classified("sliding", f"{model_type} has layers with a window")


def _plain(decoder: Decoder) -> Classified | None:
    model_type, text = decoder.model_type, decoder.text
    if model_type not in families.PLAIN:
        return None
    if window(decoder) is not None:
        return Classified("sliding", f"{model_type} with sliding_window {window(decoder)}")
    if model_type in families.WINDOW_ON_BY_DEFAULT and "sliding_window" not in text:
        return Classified("unknown", f"{model_type} without sliding_window, whose default is a window")
    if text.get("use_sliding_window") is True:
        return Classified("unknown", "use_sliding_window without a window size")
    if text.get("num_kv_shared_layers"):
        return Classified("unknown", "num_kv_shared_layers: layers share K and V")
    values, head_dim = decoder.first(_VALUE_HEAD_DIM), head_dim_of(decoder)
    if values and head_dim and values.value != head_dim.value:
        return Classified("unknown", "K and V heads differ in size")
    if len(as_list(text.get("block_configs"))) > 0:
        return Classified("unknown", "block_configs: layers may differ")
    return Classified("plain", f"{model_type}: full attention in every layer")


def plain_elements_per_token(config: dict[str, Any], tensor_parallel: int) -> int | None:
    """Elements that one token takes in the KV cache of one rank: 2 (K and V) × layers × KV heads per rank × head size.

    `config` is what `geometry` returns. KV heads are divided over the ranks and repeated when there are more ranks than heads
    (vLLM, SGLang). None unless the attention is plain, everything needed is known and the heads divide evenly.
    """
    layers, kv_heads, head_dim = (positive(config.get(key)) for key in ("layers", "kv_heads", "head_dim"))
    if config.get("attention") != "plain" or layers is None or kv_heads is None or head_dim is None:
        return None
    if tensor_parallel < 1 or (kv_heads % tensor_parallel and tensor_parallel % kv_heads):
        return None
    return 2 * layers * max(1, kv_heads // tensor_parallel) * head_dim


def latent_elements_per_token(config: dict[str, Any]) -> int | None:
    """Elements that one token takes with latent attention (MLA): layers × (kv_lora_rank + qk_rope_head_dim), on every rank.

    `config` is what `geometry` returns. None with an indexer, whose cache is of another type.
    """
    layers, rank, rope = (positive(config.get(key)) for key in ("layers", "kv_lora_rank", "qk_rope_head_dim"))
    if config.get("attention") != "mla" or config.get("index_head_dim") or layers is None or rank is None or rope is None:
        return None
    return layers * (rank + rope)
