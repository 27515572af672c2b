"""vLLM server and offline logs become facts, from 0.2 to 0.33. No inference across sources; no other engine's lines."""
