"""LMDeploy logs (TurboMind and PyTorch engines, 0.5 to 0.17) become facts: identity, KV element type, capacity, parallelism."""
