"""vLLM's KV cache, planned again from a checkpoint's shape and a start's settings: layers, pages, groups, blocks, tokens.

Room: `record`. Pure functions on `setup.Setup`; only `gather` and `votes` know facts. Written from the sources of 28 releases,
0.9.1 to 0.33.0. What cannot be predicted raises `setup.UnpredictableError` with the reason; nothing is searched for.
"""
