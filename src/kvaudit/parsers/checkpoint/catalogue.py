"""Every parser of checkpoint files in the Hugging Face format, in the order in which they are asked.

Room: `parsers.checkpoint`, its list; only the registry imports it, so that a part of this package can be had without the rest.
"""

from __future__ import annotations

from kvaudit.parsers.checkpoint.config import ConfigJson
from kvaudit.parsers.checkpoint.generation import GenerationConfig
from kvaudit.parsers.checkpoint.header import SafetensorsHeader
from kvaudit.parsers.checkpoint.hf_quant import HfQuantConfig
from kvaudit.parsers.checkpoint.index import SafetensorsIndex

PARSERS = (ConfigJson(), HfQuantConfig(), GenerationConfig(), SafetensorsIndex(), SafetensorsHeader())
"""Every parser of checkpoint files in the Hugging Face format."""
