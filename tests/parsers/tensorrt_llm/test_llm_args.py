"""Configuration dumps: which key feeds which field, at which stage, and what a cut dump still says."""

from __future__ import annotations

from typing import Any

from kvaudit.parsers.tensorrt_llm import llm_args
from tests.parsers.engine_logs import facts_of, values
from tests.parsers.tensorrt_llm.logs import BACKEND, BANNER, READY, budget, only_start, pool, python, sizes

ARGS = (
    "model='acme/atlas-8b' tokenizer=None tokenizer_mode='auto' skip_tokenizer_init=False trust_remote_code=False "
    "tensor_parallel_size=4 dtype='auto' revision=None pipeline_parallel_size=1 context_parallel_size=1 "
    "moe_expert_parallel_size=-1 enable_attention_dp=False load_format=<LoadFormat.AUTO: 0> "
    "kv_cache_config=KvCacheConfig(enable_block_reuse=True, max_tokens=None, free_gpu_memory_fraction=0.85, "
    "host_cache_size=None, dtype='auto', tokens_per_block=32) enable_chunked_prefill=True "
    "scheduler_config=SchedulerConfig(capacity_scheduler_policy=<CapacitySchedulerPolicy.MAX_UTILIZATION: 'MAX_UTILIZATION'>) "
    "cache_transceiver_config=None speculative_config=None max_batch_size=256 max_seq_len=65536 max_num_tokens=8192 "
    "cuda_graph_config=None disable_overlap_scheduler=True attn_backend='TRTLLM' kv_connector_config=None enable_sleep=False"
)


def said(text: str) -> dict[str, tuple[Any, str]]:
    return {one.field: (one.value, one.stage) for one in llm_args.said(llm_args.of_arguments(text))}


def test_every_key_of_the_dump() -> None:
    assert said(ARGS) == {
        "model.path": ("acme/atlas-8b", "resolved"),
        "model.revision": (None, "resolved"),
        "model.dtype": ("auto", "requested"),
        "model.trust_remote_code": (False, "resolved"),
        "scheduler.max_num_seqs": (256, "resolved"),
        "scheduler.max_num_batched_tokens": (8_192, "resolved"),
        "scheduler.chunked_prefill": (True, "resolved"),
        "parallel.tensor": (4, "resolved"),
        "parallel.pipeline": (1, "resolved"),
        "parallel.context": (1, "resolved"),
        "parallel.data": (1, "resolved"),
        "attention.backend": ("TRTLLM", "resolved"),
        "kv_cache.dtype": ("auto", "requested"),
        "kv_cache.prefix_caching": (True, "resolved"),
        "kv_cache.block_size": (32, "resolved"),
        "kv_cache.offload": ("none", "resolved"),
        "memory.static_fraction": (0.85, "resolved"),
        "scheduler.async_scheduling": (False, "resolved"),
        "scheduler.policy": ("MAX_UTILIZATION", "resolved"),
        "graphs.enforce_eager": (True, "resolved"),
        "speculative.method": ("none", "resolved"),
    }


def test_an_explicit_element_type_is_what_was_asked_for() -> None:
    assert said(ARGS.replace("dtype='auto', tokens", "dtype='fp8', tokens"))["kv_cache.dtype"] == ("fp8", "requested")


def test_data_parallel_attention_has_a_pool_on_every_rank() -> None:
    assert said(ARGS.replace("enable_attention_dp=False", "enable_attention_dp=True"))["parallel.data"] == (4, "resolved")


def test_speculation_by_class_and_by_type() -> None:
    mtp = said(ARGS.replace("speculative_config=None", "speculative_config=MTPDecodingConfig(max_draft_len=3)"))
    assert (mtp["speculative.method"][0], mtp["speculative.tokens"][0]) == ("mtp", 3)
    eagle = "speculative_config=EagleDecodingConfig(decoding_type='Eagle3', max_draft_len=4, speculative_model_dir='acme/draft')"
    found = said(ARGS.replace("speculative_config=None", eagle))
    assert found["speculative.method"][0] == "eagle3"
    assert found["speculative.model"][0] == "acme/draft"


def test_tiers_and_transfer() -> None:
    host = said(ARGS.replace("host_cache_size=None", "host_cache_size=8589934592"))
    assert host["kv_cache.offload"] == ("host_cache", "resolved")
    connector = "kv_connector_config=KvCacheConnectorConfig(connector_module='lmcache.integration.trtllm')"
    assert said(ARGS.replace("kv_connector_config=None", connector))["kv_cache.offload"][0] == "LMCache"
    transfer = "cache_transceiver_config=CacheTransceiverConfig(backend='NIXL', max_tokens_in_buffer=None)"
    assert said(ARGS.replace("cache_transceiver_config=None", transfer))["kv_transfer.connector"][0] == "NIXL"


def test_a_cut_dump_says_what_stands_before_the_cut() -> None:
    found = said(ARGS[: ARGS.index("max_num_tokens")])
    assert found["scheduler.max_num_seqs"] == (256, "resolved")
    assert "scheduler.max_num_batched_tokens" not in found
    assert "kv_cache.offload" not in found
    assert "graphs.enforce_eager" not in found


def test_hostile_dumps_say_nothing_false() -> None:
    assert said("model=(((((((((( tokenizer=None") == {}
    assert "parallel.tensor" not in said("model='a' tokenizer=None tensor_parallel_size=[1, 2] max_batch_size='")


def test_the_dump_stands_behind_its_heading_in_a_log() -> None:
    start = only_start(BANNER, BACKEND, budget(40.0, 131_072), *pool(327_680, 40.0), sizes(), python("LLM Args:"), ARGS, READY)
    assert values(start, "parallel.tensor") == [4]
    assert values(start, "parallel.gpus") == [4]
    (raw,) = facts_of(start, "clue.raw_configuration")
    assert raw.value["LLM Args"]["max_batch_size"] == 256
    (tensor,) = facts_of(start, "parallel.tensor")
    assert tensor.origins[0].line == 9
    assert "tensor_parallel_size=4" in tensor.origins[0].excerpt


def test_a_length_that_was_asked_for_is_told_only_where_less_is_served() -> None:
    served = only_start(BANNER, BACKEND, budget(40.0, 131_072), *pool(327_680, 40.0), sizes(), ARGS, READY)
    assert values(served, "model.max_len", "requested") == []
    short = [*pool(32_768, 4.0, length=32_768), sizes(32_768)]
    shortened = only_start(BANNER, BACKEND, budget(4.0, 131_072), *short, ARGS, READY)
    assert values(shortened, "model.max_len", "requested") == [65_536]


def test_the_config_of_the_pytorch_backend() -> None:
    line = (
        "PyTorchConfig(extra_resource_managers={}, use_cuda_graph=True, cuda_graph_batch_sizes=[1, 2, 4], "
        "disable_overlap_scheduler=False, attn_backend='FLASHINFER', sampler_type=<SamplerType.auto: 'auto'>, "
        "kv_cache_dtype='auto')"
    )
    start = only_start(BANNER, python(line))
    assert values(start, "engine.core") == ["pytorch"]
    assert values(start, "scheduler.async_scheduling") == [True]
    assert values(start, "graphs.enforce_eager") == [False]
    assert values(start, "attention.backend") == ["FLASHINFER"]
    assert values(start, "kv_cache.dtype", "requested") == ["auto"]


def test_arguments_of_a_dynamo_worker_are_what_was_asked_for() -> None:
    line = "TensorRT-LLM engine args: {'model': 'acme/atlas-8b', 'tensor_parallel_size': 2, 'kv_cache_config': {'dtype': 'fp8'}}"
    start = only_start(BANNER, line)
    assert values(start, "parallel.tensor", "requested") == [2]
    assert values(start, "kv_cache.dtype", "requested") == ["fp8"]
    (arguments,) = facts_of(start, "run.args")
    assert arguments.value["tensor_parallel_size"] == 2


def test_the_line_that_validates_the_element_type_speaks_before_the_dump() -> None:
    validated = python('Validating KV Cache config against kv_cache_dtype="fp8"')
    start = only_start(
        BANNER, BACKEND, validated, budget(20.0, 65_536), *pool(327_680, 20.0), ARGS.replace("'auto', tok", "'fp8', tok")
    )
    (asked,) = facts_of(start, "kv_cache.dtype")
    assert (asked.value, asked.stage, asked.origins[0].reader) == ("fp8", "requested", "tensorrt_llm:kv-dtype-asked")
