"""Ollama: logs of `ollama serve`, with the llama.cpp lines of its model runners in between."""
