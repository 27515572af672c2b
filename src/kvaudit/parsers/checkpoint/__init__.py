"""Parsers of checkpoint files: config.json, hf_quant_config.json, generation_config.json, the safetensors index and headers."""
