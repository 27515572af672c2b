"""Parsers of checkpoint files: config.json, hf_quant_config.json, generation_config.json, the safetensors index and headers."""

from __future__ import annotations

from kvaudit.parsers.checkpoint.config import ConfigJson
from kvaudit.parsers.checkpoint.generation import GenerationConfig
from kvaudit.parsers.checkpoint.header import SafetensorsHeader
from kvaudit.parsers.checkpoint.hf_quant import HfQuantConfig
from kvaudit.parsers.checkpoint.index import SafetensorsIndex

PARSERS = (ConfigJson(), HfQuantConfig(), GenerationConfig(), SafetensorsIndex(), SafetensorsHeader())
"""Every parser of checkpoint files in the Hugging Face format."""

__all__ = ["PARSERS", "ConfigJson", "GenerationConfig", "HfQuantConfig", "SafetensorsHeader", "SafetensorsIndex"]
