"""Parsers of checkpoint files: config.json, hf_quant_config.json, generation_config.json, the safetensors index."""

from __future__ import annotations

from kvaudit.parsers.checkpoint.config import ConfigJson
from kvaudit.parsers.checkpoint.generation import GenerationConfig
from kvaudit.parsers.checkpoint.hf_quant import HfQuantConfig
from kvaudit.parsers.checkpoint.index import SafetensorsIndex

__all__ = ["ConfigJson", "GenerationConfig", "HfQuantConfig", "SafetensorsIndex"]
