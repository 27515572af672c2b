"""TGI (text-generation-inference) logs, 0.9 to 3.3, become facts: identity, KV element type, capacity, parallelism."""
