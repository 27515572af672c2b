"""A plugin of vLLM for processors without AVX-512: the CPU attention refuses FP8 KV caches there, after it planned them.

Only where KVAUDIT_LIFT_CHECK is 1. The engine then plans, allocates and reports its cache as everywhere else, and serves nothing:
the kernels for it are not built. Tests that send requests never set it.
"""

from __future__ import annotations

import os


def lift() -> None:
    """Called by vLLM in each of its processes."""
    if os.environ.get("KVAUDIT_LIFT_CHECK") == "1":
        import torch  # type: ignore[import-not-found,unused-ignore]

        torch.cpu._is_avx512_supported = lambda: True
