"""Data: what is known of the attention of model families, by `model_type`.

Room: checkpoint parsers. Tables only. Sources: the configuration classes of transformers 4.57.1, and for families that it does
not hold the models of vLLM 0.33. A family that stands in no table is unknown, never taken for plain.
"""

from __future__ import annotations

from kvaudit.parsers.checkpoint.values import words

PLAIN = words(
    """
    apertus aquila arcee baichuan bailing_moe chatglm cohere deepseek dots1 ernie4_5 ernie4_5_moe exaone falcon gemma glm
    glm4 glm4_moe glm4v_moe_text glm4v_text gpt2 gpt_neox gptj granite granitemoe helium hunyuan_v1_dense hunyuan_v1_moe
    internlm internlm2 internlm3 llama mimo minicpm minimax_m2 ministral ministral3 mistral mixtral nemotron olmo olmo2
    olmoe opt orion phi phi3 phimoe qwen qwen2 qwen2_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen3 qwen3_moe
    qwen3_vl qwen3_vl_text qwen3_vl_moe qwen3_vl_moe_text seed_oss smollm3 solar stablelm starcoder2 xverse
    """
)
"""Every decoder layer keeps K and V of all tokens, in one shape, unless a key of the configuration says otherwise."""

LATENT = words(
    """
    axk1 deepseek_v2 deepseek_v3 deepseek_v32 deepseek_mtp glm_moe_dsa glm4_moe_lite glm4_moe_lite_mtp kimi_k2
    pangu_ultra_moe pangu_ultra_moe_mtp
    """
)
"""MLA: one latent vector a token and layer (`kv_lora_rank` + `qk_rope_head_dim`), where the checkpoint has `kv_lora_rank`."""

RECURRENT = words(
    """
    bailing_hybrid bamba falcon_h1 granitemoehybrid jamba kimi_linear lfm2 lfm2_moe minimax minimax_m1 minimax_text_01
    nemotron_h plamo2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen3_next zamba2
    """
)
"""Some layers keep a recurrent state instead of K and V."""

WINDOWED = words(
    """
    cohere2 exaone4 gemma2 gemma3 gemma3_text gemma3n gemma3n_text gemma4 gemma4_text gemma4_unified gemma4_unified_text gpt_oss
    laguna llama4 llama4_text mimo_v2 mimo_v2_flash muse_glimmer muse_glimmer_text olmo3 step3p5 step3p7
    """
)
"""Some layers keep only a window or a chunk."""

WINDOW_BY_LAYER_LIST = words(
    """
    exaone4 gemma2 gemma3 gemma3_text gemma4 gemma4_text gemma4_unified gemma4_unified_text gpt_oss laguna mimo_v2
    mimo_v2_flash muse_glimmer muse_glimmer_text olmo3 step3p5 step3p7
    """
)
"""Families whose layer list alone says which layers keep the one window (vLLM 0.25 to 0.33); Cohere 2 widens it by one."""

WINDOW_IN_EVERY_LAYER = words("mistral mixtral phi3")
"""Families whose window, where one is stated, holds for every layer."""

OTHERWISE: dict[str, str] = {
    "deepseek_v4": "compressed KV states in several pools",
    "deepseek_ref": "compressed KV states in several pools",
    "longcat_flash": "two latent attentions a layer",
    "longcat_flash_ngram": "two latent attentions a layer",
    "minimax_m3": "a sparse index cache beside K and V",
    "minimax_m3_vl": "a sparse index cache beside K and V",
    "mllama": "cross-attention layers",
    "mllama_text_model": "cross-attention layers",
    "nemotron-nas": "layers differ in their attention",
    "t5": "encoder and decoder",
    "whisper": "encoder and decoder",
}
"""Families whose cache follows rules of their own."""

WINDOW_OFF_BY_DEFAULT = words(
    """
    mimo qwen2 qwen2_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen3 qwen3_moe qwen3_next qwen3_5_text
    qwen3_5_moe_text
    """
)
"""Families that ignore `sliding_window` unless `use_sliding_window` is true."""

WINDOW_ON_BY_DEFAULT = words("dots1 ministral mistral")
"""Families whose configuration class takes a window of 4096 where `sliding_window` is not written; null means none."""

HEAD_DIM_BY_DIVISION = words(
    """
    aquila arcee baichuan cohere cohere2 deepseek exaone gpt2 gpt_neox gptj granite granitemoe internlm internlm2 internlm3 jamba
    llama minicpm ministral mistral mixtral mpt nemotron nemotron-nas olmo olmo2 olmoe opt orion phi phi3 phimoe qwen2 qwen2_moe
    qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text smollm3 solar stablelm starcoder2 xverse
    """
)
"""Families whose configuration class takes hidden_size // num_attention_heads where `head_dim` is not given."""

ONE_KV_HEAD_PER_HEAD = words("baichuan gpt2 gpt_neox gptj llama minicpm opt phi phi3 qwen")
"""Families whose configuration class takes as many KV heads as heads where none are given."""

FULL_EVERY: dict[str, int] = {"gemma2": 2, "gemma3_text": 6, "cohere2": 4}
"""Families where every n-th layer is full and the others keep a window, where the checkpoint does not list its layers."""
