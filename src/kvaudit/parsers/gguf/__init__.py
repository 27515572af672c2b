"""Parser of GGUF headers: what a file for llama.cpp states about its model. GGUF states nothing about the KV cache."""
