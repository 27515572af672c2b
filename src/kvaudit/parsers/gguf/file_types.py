"""Data: the names of `general.file_type`, as llama.cpp prints them and as files are called.

Room: gguf parser. Source: `llama_ftype` and its names in llama.cpp b2000 to b11434. The numbers 4 to 6 and 33 to 35 are retired.
"""

from __future__ import annotations

GUESSED = 1024
"""Added to the number where a converter only guessed it."""

UNQUANTIZED = frozenset({0, 1, 32})

FILE_TYPES: dict[int, tuple[str, str]] = {
    0: ("all F32", "float32"),
    1: ("F16", "float16"),
    2: ("Q4_0", "q4_0"),
    3: ("Q4_1", "q4_1"),
    7: ("Q8_0", "q8_0"),
    8: ("Q5_0", "q5_0"),
    9: ("Q5_1", "q5_1"),
    10: ("Q2_K - Medium", "q2_k"),
    11: ("Q3_K - Small", "q3_k_s"),
    12: ("Q3_K - Medium", "q3_k_m"),
    13: ("Q3_K - Large", "q3_k_l"),
    14: ("Q4_K - Small", "q4_k_s"),
    15: ("Q4_K - Medium", "q4_k_m"),
    16: ("Q5_K - Small", "q5_k_s"),
    17: ("Q5_K - Medium", "q5_k_m"),
    18: ("Q6_K", "q6_k"),
    19: ("IQ2_XXS - 2.0625 bpw", "iq2_xxs"),
    20: ("IQ2_XS - 2.3125 bpw", "iq2_xs"),
    21: ("Q2_K - Small", "q2_k_s"),
    22: ("IQ3_XS - 3.3 bpw", "iq3_xs"),
    23: ("IQ3_XXS - 3.0625 bpw", "iq3_xxs"),
    24: ("IQ1_S - 1.5625 bpw", "iq1_s"),
    25: ("IQ4_NL - 4.5 bpw", "iq4_nl"),
    26: ("IQ3_S - 3.4375 bpw", "iq3_s"),
    27: ("IQ3_S mix - 3.66 bpw", "iq3_m"),
    28: ("IQ2_S - 2.5 bpw", "iq2_s"),
    29: ("IQ2_M - 2.7 bpw", "iq2_m"),
    30: ("IQ4_XS - 4.25 bpw", "iq4_xs"),
    31: ("IQ1_M - 1.75 bpw", "iq1_m"),
    32: ("BF16", "bfloat16"),
    36: ("TQ1_0 - 1.69 bpw ternary", "tq1_0"),
    37: ("TQ2_0 - 2.06 bpw ternary", "tq2_0"),
    38: ("MXFP4 MoE", "mxfp4"),
    39: ("NVFP4", "nvfp4"),
}
"""Number to the printed name and the short one."""
