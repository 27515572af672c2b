"""TensorRT-LLM logs (trtllm-serve, trtllm-bench, LLM API, Triton, Dynamo workers) become facts, from 0.5 to 1.3."""
