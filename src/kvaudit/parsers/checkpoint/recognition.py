"""Which checkpoint file a JSON document is, by its tell-tale keys and never by its name.

Room: checkpoint parsers. Looks at the keys of the document and one level below, in the head first and in the whole only when
the head does not tell; works on damaged documents, which are then read, and refused, as what they were meant to be.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from kvaudit.parsers.checkpoint.keys import decoded_keys, upper_keys
from kvaudit.parsers.checkpoint.values import words
from kvaudit.sources.source import HEAD_BYTES, Source

Kind = Literal["config", "quantization", "generation", "index"]

_SHAPE = words(
    """
    hidden_size num_hidden_layers num_attention_heads vocab_size text_config llm_config language_config thinker_config n_layer
    n_layers num_layers n_head n_embd d_model layers_block_type max_position_embeddings intermediate_size
    """
)
_MODEL_FACTS = _SHAPE | {"torch_dtype", "dtype", "transformers_version", "quantization_config", "model_type"}
_MODELOPT = frozenset({"quant_algo", "kv_cache_quant_algo", "quantized_layers", "exclude_modules"})
_TENSORRT = frozenset({"architecture", "pretrained_config"})
"""A TensorRT-LLM checkpoint or engine holds a `quantization` too, beside these; its form is another one."""

_BLOCK = words(
    """
    activation_scheme backend bits checkpoint_format clamp_val config_groups damp_percent data_type desc_act dtype exclude_modules
    fmt format global_compression_ratio group_size has_zero_point ignore ignored_layers kv_cache_quant_algo
    kv_cache_quant_targets kv_cache_scheme lm_head meta model_file_base_name model_name_or_path modules_to_not_convert
    pack_dtype packing_format pre_quant_scale producer q_group_size quant_algo quant_method quantization_status
    quantized_layers scale_fmt smoothquant_val sparsity_config static_groups sym transform_config true_sequential
    use_meta_recipe version w_bit weight_block_size zero_point
    """
)
_BARE_BLOCKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("quant_algo", (_MODELOPT - {"quant_algo"}) | {"group_size", "producer", "has_zero_point"}),
    ("quant_method", words("config_groups kv_cache_scheme weight_block_size activation_scheme bits w_bit group_size")),
    ("bits", words("desc_act damp_percent true_sequential sym")),
    ("w_bit", words("q_group_size")),
)
"""A block alone in a file: a key, and keys of which one stands beside it (TensorRT-LLM, any, AutoGPTQ, AutoAWQ)."""

_GENERATION = words(
    """
    _from_model_config assistant_early_exit bad_words_ids begin_suppress_tokens bos_token_id cache_config cache_implementation
    chat_format decoder_start_token_id diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
    encoder_repetition_penalty eos_token_id epsilon_cutoff eta_cutoff exponential_decay_length_penalty forced_bos_token_id
    forced_decoder_ids forced_eos_token_id frequency_penalty guidance_scale length_penalty low_memory max_length
    max_matching_ngram_size max_new_tokens max_time max_window_size min_length min_new_tokens min_p no_repeat_ngram_size
    num_assistant_tokens num_beam_groups num_beams num_return_sequences output_attentions output_hidden_states output_logits
    output_scores pad_token_id penalty_alpha prefill_chunk_size presence_penalty remove_invalid_values renormalize_logits
    repetition_penalty return_dict_in_generate return_legacy_cache sequence_bias stop_strings suppress_tokens temperature
    token_healing top_h top_k top_p transformers_version trust_remote_code typical_p use_cache watermarking_config
    """
)
_GENERATION_MARKS = frozenset({"transformers_version", "_from_model_config", "eos_token_id", "bos_token_id", "do_sample"})


_PROMISING = words("compression_config producer quantization_config text_config vision_config")
"""Keys in the head of a large document that make it worth looking at the rest: they can hide the tell-tale ones behind them."""


def kind_of(source: Source) -> Kind | None:
    """The kind of checkpoint file that the document is meant to be, None for any other document."""
    head = source.head.removeprefix("\ufeff").lstrip()
    if not head.startswith("{"):
        return None
    keys = _head_keys(head)
    kind = kind_by_keys(keys)
    if kind is not None or source.size <= HEAD_BYTES or not set(keys) & _PROMISING:
        return kind
    return kind_by_keys(decoded_keys(source.text() or ""))


@lru_cache(maxsize=4)
def _head_keys(head: str) -> dict[str, set[str]]:
    """Every parser of this folder asks about the same head in turn."""
    return upper_keys(head)


def kind_by_keys(keys: dict[str, set[str]]) -> Kind | None:
    """The kind of document that has these keys; the values are the keys one level below."""
    names = set(keys)
    if "document" in names and "version" in names:
        return None
    if "weight_map" in names:
        return "index"
    if _is_config(names):
        return "config"
    if "architectures" in names or "model_type" in names:
        return None
    if _is_quantization(keys):
        return "quantization"
    known = names & _GENERATION
    return "generation" if known & _GENERATION_MARKS and len(known) > len(names) * 0.8 else None


def _is_config(names: set[str]) -> bool:
    if "architectures" in names:
        return bool(names & _MODEL_FACTS)
    return "model_type" in names and len(names & _SHAPE) >= 2


def _is_quantization(keys: dict[str, set[str]]) -> bool:
    names = set(keys)
    if keys.get("quantization", set()) & _MODELOPT:
        return not names & _TENSORRT
    bare = any(first in names and names & others for first, others in _BARE_BLOCKS)
    return bare and 2 * len(names & _BLOCK) > len(names)
