"""Engine line and arguments together: which stage a value has, and what follows from both."""

from __future__ import annotations

import pytest

from kvaudit.parsers.facts import Start
from kvaudit.parsers.vllm import engine_line
from tests.parsers.engine_logs import facts_of, values
from tests.parsers.vllm.logs import ENGINE_LINE, read_log, stamped

CORE, SERVER = "EngineCore pid=200", "APIServer pid=100"


def start_of(arguments: str | None, engine: str = ENGINE_LINE, *more: str) -> Start:
    lines = [] if arguments is None else [stamped(f"non-default args: {arguments}", SERVER)]
    (start,) = read_log("\n".join([*lines, stamped(engine, CORE), *more]) + "\n").starts
    return start


def with_value(key: str, value: str) -> str:
    """The engine line with another value of one key."""
    before, _, rest = ENGINE_LINE.partition(f"{key}=")
    return f"{before}{key}={value}, {rest.partition(', ')[2]}"


def test_identity_comes_from_the_engine_line() -> None:
    start = start_of(None)
    assert values(start, "engine.version", "resolved") == ["0.24.0"]
    assert values(start, "engine.core", "resolved") == ["v1"]
    assert values(start, "model.path", "resolved") == ["acme/tiny-llama"]
    assert values(start, "model.dtype", "resolved") == ["bfloat16"]
    assert values(start, "model.max_len") == [8192]
    assert values(start, "model.quantization", "resolved") == ["none"]
    assert values(start, "speculative.method", "resolved") == ["none"]
    assert values(start, "model.revision", "resolved") == [None]
    assert values(start, "graphs.mode") == ["FULL_AND_PIECEWISE"]
    assert values(start, "graphs.capture_max") == [512]
    assert values(start, "parallel.gpus", "inferred") == [2]
    assert values(start, "engine.platform") == []


def test_device_config_cuda_proves_no_platform_but_cpu_does() -> None:
    assert values(start_of(None, with_value("device_config", "cpu")), "engine.platform") == ["cpu"]


def test_auto_is_asked_for_and_shown_as_a_clue() -> None:
    start = start_of("{'model': 'acme/tiny-llama'}")
    assert [(fact.stage, fact.value) for fact in facts_of(start, "kv_cache.dtype")] == [("requested", "auto")]
    assert values(start, "clue.kv_dtype_engine_line") == ["auto"]


def test_a_kv_dtype_nobody_typed_is_the_engines_own() -> None:
    start = start_of("{'model': 'acme/tiny-llama'}", with_value("kv_cache_dtype", "fp8_e4m3"))
    assert [(fact.stage, fact.value) for fact in facts_of(start, "kv_cache.dtype")] == [("resolved", "fp8_e4m3")]


def test_a_kv_dtype_that_was_typed_stays_requested() -> None:
    start = start_of("{'model': 'acme/tiny-llama', 'kv_cache_dtype': 'fp8'}", with_value("kv_cache_dtype", "fp8"))
    assert {(fact.stage, fact.value) for fact in facts_of(start, "kv_cache.dtype")} == {("requested", "fp8")}


def test_without_arguments_a_named_kv_dtype_is_resolved() -> None:
    start = start_of(None, with_value("kv_cache_dtype", "fp8"))
    assert [(fact.stage, fact.value) for fact in facts_of(start, "kv_cache.dtype")] == [("resolved", "fp8")]


def test_a_typed_one_is_not_a_typed_true() -> None:
    start = start_of("{'enable_prefix_caching': 1}")
    assert values(start, "kv_cache.prefix_caching", "resolved") == [True]


def test_a_whole_arguments_line_without_connector_proves_no_offload() -> None:
    (fact,) = facts_of(start_of("{'model': 'acme/tiny-llama'}"), "kv_cache.offload")
    assert (fact.value, fact.stage) == ("none", "resolved")
    assert fact.how


@pytest.mark.parametrize(
    ("arguments", "offload", "connector"),
    [
        (
            "{'kv_transfer_config': KVTransferConfig(kv_connector='LMCacheConnectorV1', kv_role='kv_both')}",
            "LMCache",
            "LMCacheConnectorV1",
        ),
        ("{'kv_transfer_config': {'kv_connector': 'NixlConnector', 'kv_role': 'kv_both'}}", "NixlConnector", "NixlConnector"),
        (
            '{\'kv_transfer_config\': \'{"kv_connector": "NixlConnector", "kv_role": "kv_both"}\'}',
            "NixlConnector",
            "NixlConnector",
        ),
    ],
)
def test_connectors(arguments: str, offload: str, connector: str) -> None:
    start = start_of(arguments)
    assert values(start, "kv_cache.offload") == [offload]
    assert values(start, "kv_transfer.connector") == [connector]
    assert values(start, "kv_transfer.role") == ["kv_both"]


def test_an_offload_size_alone_names_no_connector() -> None:
    assert values(start_of("{'kv_offloading_size': 600.0}"), "kv_cache.offload") == []


def test_a_cut_arguments_line_proves_no_absence() -> None:
    start = start_of("{'model': 'acme/tiny-llama', 'max_num_seqs': 6")
    assert values(start, "kv_cache.offload") == []
    assert values(start, "scheduler.max_num_seqs") == []
    assert values(start, "model.path") != []


def test_the_whole_dict_is_kept_as_run_args() -> None:
    assert values(start_of("{'model': 'acme/tiny-llama', 'port': 8001}"), "run.args") == [
        {"model": "acme/tiny-llama", "port": 8001}
    ]


def test_expert_parallelism_is_tensor_times_data() -> None:
    assert values(start_of("{'enable_expert_parallel': True}"), "parallel.expert") == [2]


def test_speculation() -> None:
    line = with_value("speculative_config", "SpeculativeConfig(method='eagle3', model='acme/draft', num_spec_tokens=3)")
    start = start_of("{'speculative_config': {'model': 'acme/draft', 'num_speculative_tokens': 3}}", line)
    assert values(start, "speculative.method", "resolved") == ["eagle3"]
    assert values(start, "speculative.model", "requested") == ["acme/draft"]
    assert values(start, "speculative.tokens", "requested") == [3]


def test_a_worker_that_lowers_the_graph_mode_wins() -> None:
    line = stamped(
        "CUDAGraphMode.FULL_AND_PIECEWISE is not supported with FlashInfer backend (support: AttentionCGSupport.NEVER); "
        "setting cudagraph_mode=PIECEWISE because attention is compiled piecewise",
        CORE,
    )
    assert values(start_of(None, ENGINE_LINE, line), "graphs.mode") == ["PIECEWISE"]


@pytest.mark.parametrize(
    ("printed", "mode"),
    [
        (0, "NONE"),
        (1, "PIECEWISE"),
        (2, "FULL"),
        ([2, 1], "FULL_AND_PIECEWISE"),
        ("CUDAGraphMode.FULL_DECODE_ONLY", "FULL_DECODE_ONLY"),
        (True, None),
    ],
)
def test_graph_modes_of_every_era(printed: object, mode: str | None) -> None:
    assert engine_line.graph_mode(printed) == mode


def test_an_old_namespace_dump() -> None:
    lines = [
        "INFO 05-01 12:00:00 api_server.py:1] vLLM API server version 0.6.3",
        "INFO 05-01 12:00:00 api_server.py:2] args: Namespace(host=None, model='acme/tiny-llama', dtype='auto', "
        "kv_cache_dtype='auto', block_size=16, enable_prefix_caching=False, max_num_seqs=256, "
        "gpu_memory_utilization=0.85, max_num_batched_tokens=None)",
        "INFO 05-01 12:00:01 llm_engine.py:3] Initializing an LLM engine (v0.6.3) with config: model='acme/tiny-llama', "
        "dtype=torch.float16, max_seq_len=4096, tensor_parallel_size=1, pipeline_parallel_size=1, quantization=None, "
        "enforce_eager=False, kv_cache_dtype=auto, seed=0, chunked_prefill_enabled=False multi_step_stream_outputs=True, "
        "enable_prefix_caching=False, mm_processor_kwargs=None)",
        "INFO 05-01 12:00:09 gpu_executor.py:4] # GPU blocks: 3200, # CPU blocks: 2048",
        "INFO 05-01 12:00:09 gpu_executor.py:5] Maximum concurrency for 4096 tokens per request: 12.50x",
    ]
    (start,) = read_log("\n".join(lines) + "\n").starts
    assert values(start, "scheduler.max_num_seqs") == [256]
    assert values(start, "scheduler.max_num_batched_tokens") == []
    assert values(start, "memory.utilization") == [0.85]
    assert values(start, "scheduler.chunked_prefill") == [False]
    assert values(start, "engine.core") == ["v0"]
    assert values(start, "kv_cache.tokens", "inferred") == [3200 * 16]
    assert values(start, "kv_cache.offload") == [], "old dumps print every default: they prove no absence"


def test_v0_block_size_from_concurrency_where_no_arguments_are_seen() -> None:
    line = ENGINE_LINE.replace("a V1 LLM", "a V0 LLM").replace("v0.24.0", "v0.7.3")
    more = (stamped("# cuda blocks: 796, # CPU blocks: 1365"), stamped("Maximum concurrency for 8192 tokens per request: 1.55x"))
    start = start_of(None, line, *more)
    assert values(start, "kv_cache.block_size", "inferred") == [16]
    assert values(start, "kv_cache.tokens", "inferred") == [12736]


def test_every_value_names_its_line_and_shows_its_words() -> None:
    start = start_of("{'model': 'acme/tiny-llama', 'max_num_seqs': 64}")
    (fact,) = facts_of(start, "scheduler.max_num_seqs")
    (origin,) = fact.origins
    assert (origin.file, origin.line) == ("server.log", 1)
    assert "'max_num_seqs': 64" in origin.excerpt
    (fact,) = facts_of(start, "parallel.tensor")
    assert "tensor_parallel_size=2" in fact.origins[0].excerpt
    assert fact.origins[0].line == 2


@pytest.mark.parametrize(
    ("line", "connector", "offload"),
    [
        ("Creating v1 connector with name: NixlConnector and engine_id: 7c0e", "NixlConnector", "NixlConnector"),
        ("Initializing NIXL wrapper", "NixlConnector", "NixlConnector"),
        ("Initializing Mooncake Transfer Engine worker 7c0e", "MooncakeConnector", "MooncakeConnector"),
        ("Creating v1 connector with name: LMCacheConnectorV1 and engine_id: 7c0e", "LMCacheConnectorV1", "LMCache"),
        ("Initializing native LMCache connector", None, "LMCache"),
        ("LMCache initialized for role KVConnectorRole.WORKER with version 0.3.9", None, "LMCache"),
        ("Creating offloading spec with name: CPUOffloadingSpec", "OffloadingConnector", "OffloadingConnector"),
        (
            "SimpleCPUOffloadConnector: role=WORKER, per_rank=64.00 GB, world_size=2, mode=eager",
            "SimpleCPUOffloadConnector",
            "SimpleCPUOffloadConnector",
        ),
        (
            "DecodeBenchConnector: Filled 32 KV cache layers at startup with random values (mean=0.015, std=0.001)",
            "DecodeBenchConnector",
            "DecodeBenchConnector",
        ),
        ("HF3FSKVConnector initialized: path=/3fs/kv, role=WORKER", "HF3FSKVConnector", "HF3FSKVConnector"),
        ("Creating v1 connector with name: MultiConnector and engine_id: 7c0e", "MultiConnector", "MultiConnector"),
    ],
)
def test_the_lines_of_connectors(line: str, connector: str | None, offload: str) -> None:
    (start,) = read_log(f"{stamped(ENGINE_LINE)}\n{stamped(line)}\n").starts
    assert values(start, "kv_transfer.connector") == ([connector] if connector else [])
    assert values(start, "kv_cache.offload") == [offload]


def test_a_connector_that_turned_itself_off_keeps_nothing() -> None:
    lines = [
        "Creating v1 connector with name: SimpleCPUOffloadConnector and engine_id: 7c0e",
        "Detected prefix caching disabled, disabling CPU offload since it requires prefix caching.",
    ]
    (start,) = read_log("\n".join([stamped(ENGINE_LINE), *map(stamped, lines)]) + "\n").starts
    assert values(start, "kv_cache.offload") == ["none"]
    assert values(start, "kv_transfer.connector") == ["SimpleCPUOffloadConnector"]
