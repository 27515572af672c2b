"""The field registry: one row per field says its type, unit, meaning, rule, impact, comparison and causes.

Room: far left of the pipeline, next to `errors` and `redaction`. It imports nothing of kvaudit, reads no file and knows no
engine: parsers map their engine's words onto these names. Everything that treats one field unlike another reads it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

FieldType = Literal["text", "int", "number", "bool", "list", "object"]
Impact = Literal["error", "warning", "by size", "context", "cosmetic"]
Stage = Literal["stated", "requested", "resolved", "observed", "inferred"]

STAGES: tuple[Stage, ...] = ("observed", "resolved", "inferred", "requested", "stated")
"""From the strongest to the weakest: who is believed about an effective value."""


@dataclass(frozen=True, slots=True)
class Field:
    """One row of the registry.

    `delegating` values never count as effective. `none_means` says what a printed None proves: `none` (proven off) or
    `absent` (proven not set). `tolerance` is relative. `derives` names the fields that can cause a difference in this one.
    `binding` says which rank's value holds when ranks differ. `settles` names the evidence that would end an unknown.
    """

    name: str
    type: FieldType
    meaning: str
    unit: str | None = None
    rule: str | None = None
    impact: Impact = "context"
    tolerance: float = 0.0
    delegating: tuple[str | int, ...] = ()
    none_means: Literal["", "none", "absent"] = ""
    group: str | None = None
    derives: tuple[str, ...] = ()
    loose_spelling: bool = False
    binding: Literal["", "min", "max"] = ""
    settles: str | None = None

    def delegates(self, value: Any) -> bool:
        """Whether a raw value leaves the decision to somebody else (`auto`, and per field `None`, -1, 0)."""
        if isinstance(value, bool):
            return False
        if value is None:
            return "None" in self.delegating or not self.none_means
        spelled = value.strip() if isinstance(value, str) else value
        if isinstance(spelled, str) and spelled.lower() == "auto":
            return True
        return spelled in self.delegating


_ROWS: tuple[Field, ...] = (
    Field(
        "engine.name",
        "text",
        "Which engine served: vllm, sglang, tensorrt_llm, llama_cpp, ollama, lmdeploy, tgi.",
        rule="engine-differs",
        impact="error",
        group="engine",
    ),
    Field(
        "engine.version",
        "text",
        "The version as printed, development suffix kept.",
        rule="engine-version-differs",
        impact="warning",
        group="engine",
        settles="a log with the banner or the engine line",
    ),
    Field(
        "engine.build",
        "text",
        "Image, commit or fork, where evidence names one: stock and patched builds of one version differ.",
        rule="engine-build-differs",
        impact="warning",
        group="engine",
    ),
    Field("engine.core", "text", "vLLM v0 or v1; TensorRT-LLM pytorch or tensorrt.", group="engine"),
    Field("engine.platform", "text", "cuda, rocm, cpu, xpu, tpu, npu."),
    Field(
        "engine.ready",
        "bool",
        "The selected session reached serving; an offline run processed prompts. A log that just ends proves neither.",
        settles="a log that goes on until the server is up, or until it fails",
    ),
    Field("engine.failure", "text", "First root cause when the engine did not become ready, or died later."),
    Field("engine.starts", "int", "Starts (sessions) in the log.", impact="cosmetic"),
    Field("engine.notices", "list", "The engine's own warnings that rules use, each a code and its text."),
    Field(
        "model.path",
        "text",
        "What was served: repository id or path.",
        rule="model-differs",
        impact="error",
        group="weights",
        settles="a log with the engine line or the arguments line",
    ),
    Field(
        "model.revision",
        "text",
        "Commit or branch of the checkpoint; a printed None means unpinned.",
        rule="checkpoint-changed",
        impact="error",
        none_means="absent",
        group="weights",
    ),
    Field(
        "model.hash",
        "text",
        "sha256 of config.json, index or header, where at hand.",
        rule="checkpoint-changed",
        impact="error",
        group="weights",
    ),
    Field(
        "model.architecture",
        "text",
        "Architecture class, such as LlamaForCausalLM.",
        rule="model-differs",
        impact="error",
        group="weights",
        derives=("model.path",),
        settles="config.json, or a log with 'Resolved architecture'",
    ),
    Field(
        "model.dtype",
        "text",
        "Compute dtype: bfloat16, float16, float32.",
        rule="model-dtype-differs",
        impact="error",
        delegating=("auto",),
        group="weights",
        derives=("model.path",),
    ),
    Field(
        "model.quantization",
        "text",
        "Weight quantization method as the engine names it; none when proven unquantized.",
        rule="quantization-differs",
        impact="error",
        none_means="none",
        group="weights",
        derives=("model.path",),
    ),
    Field(
        "model.weight_format",
        "text",
        "Finer than the method: nvfp4, int4-g128, fp8-block128.",
        group="weights",
        derives=("model.path",),
    ),
    Field(
        "model.max_len",
        "int",
        "Context limit per request, resolved.",
        unit="tokens",
        rule="max-len-differs",
        impact="error",
        delegating=("auto", -1),
    ),
    Field("model.layers", "int", "Decoder layers, from the checkpoint.", derives=("model.path",)),
    Field(
        "model.kv_heads",
        "int",
        "Key/value heads before tensor parallelism, from the checkpoint.",
        derives=("model.path",),
    ),
    Field("model.head_dim", "int", "Size of one attention head, from the checkpoint.", derives=("model.path",)),
    Field(
        "model.weights_gib",
        "number",
        "Memory of the loaded weights per rank.",
        unit="GiB",
        rule="checkpoint-changed",
        impact="error",
        tolerance=0.01,
        group="weights",
        derives=("model.path", "model.quantization", "parallel.tensor"),
        binding="max",
    ),
    Field(
        "model.generation_config",
        "text",
        "Sampling defaults that the checkpoint overrides; none if it does not.",
        rule="sampling-defaults-differ",
        impact="error",
        derives=("model.path",),
    ),
    Field("model.trust_remote_code", "bool", "Whether code of the checkpoint may run."),
    Field(
        "kv_cache.dtype",
        "text",
        "The effective element type of the KV cache, never what was merely asked for.",
        rule="kv-dtype-differs",
        impact="error",
        delegating=("auto",),
        group="kv",
        derives=("model.dtype", "kv_cache.scheme"),
        settles="the checkpoint's config.json (and hf_quant_config.json) of the revision that ran, or a log with worker lines",
    ),
    Field(
        "kv_cache.scheme",
        "text",
        "What the checkpoint states about KV: none, fp8, nvfp4, int8, static-string, other:<what>.",
        group="kv",
        derives=("model.path",),
        settles="config.json (and hf_quant_config.json) of the checkpoint",
    ),
    Field(
        "kv_cache.scheme_detail",
        "object",
        "Static or dynamic, strategy, symmetric, producer, and which file said it.",
        group="kv",
    ),
    Field(
        "kv_cache.scales",
        "text",
        "Where KV scales come from: checkpoint, default_1.0, runtime, mixed, none.",
        rule="kv-scales-differ",
        impact="error",
        group="kv",
        derives=("model.path",),
    ),
    Field(
        "kv_cache.tokens",
        "int",
        "Capacity of the pool as the engine counts it; the smallest rank, per data-parallel worker.",
        unit="tokens",
        rule="unequal-kv-capacity",
        impact="by size",
        tolerance=0.02,
        group="kv",
        derives=(
            "kv_cache.dtype",
            "model.weights_gib",
            "memory.utilization",
            "memory.static_fraction",
            "graphs.memory_gib",
            "gpu.tenants",
            "kv_cache.memory_gib",
            "speculative.method",
            "parallel.tensor",
        ),
        binding="min",
        settles="a log that reaches the capacity line ('KV cache size: N tokens')",
    ),
    Field(
        "kv_cache.tokens_total",
        "int",
        "Capacity over data-parallel workers and servers of the arm.",
        unit="tokens",
        group="kv",
        derives=("kv_cache.tokens", "parallel.data"),
    ),
    Field(
        "kv_cache.blocks",
        "int",
        "Blocks (pages) of the pool.",
        group="kv",
        derives=("kv_cache.tokens", "kv_cache.block_size"),
        binding="min",
    ),
    Field(
        "kv_cache.block_size",
        "int",
        "Tokens per block (page).",
        unit="tokens",
        rule="block-size-differs",
        impact="warning",
        delegating=("None",),
        group="kv",
        derives=("kv_cache.dtype", "speculative.method", "speculative.tokens", "attention.backend"),
    ),
    Field(
        "kv_cache.memory_gib",
        "number",
        "Memory given to the KV pool per rank, K and V together.",
        unit="GiB",
        tolerance=0.02,
        group="kv",
        derives=(
            "model.weights_gib",
            "memory.utilization",
            "memory.static_fraction",
            "graphs.memory_gib",
            "gpu.tenants",
            "speculative.method",
        ),
        binding="min",
        settles="a log that reaches 'Available KV cache memory'",
    ),
    Field(
        "kv_cache.bytes_per_token",
        "number",
        "Inferred: KV memory divided by tokens, per rank.",
        unit="bytes",
        tolerance=0.005,
        group="kv",
        derives=("kv_cache.dtype", "model.path"),
    ),
    Field(
        "kv_cache.bytes_per_element",
        "number",
        "Inferred: 2.0, 1.0, ...; unknown where the layout is not plain.",
        unit="bytes",
        tolerance=0.02,
        group="kv",
        derives=("kv_cache.dtype",),
    ),
    Field(
        "kv_cache.max_concurrency",
        "number",
        "Requests of full length that fit at once.",
        tolerance=0.02,
        group="kv",
        derives=("kv_cache.tokens", "model.max_len"),
        binding="min",
    ),
    Field(
        "kv_cache.prefix_caching",
        "bool",
        "Whether finished prefixes are reused.",
        rule="prefix-caching-differs",
        impact="error",
        delegating=("None",),
        group="kv",
        settles="a log with the engine line",
    ),
    Field(
        "kv_cache.offload",
        "text",
        "CPU or disk tiers of the KV cache (LMCache, HiCache, offloading connector); none.",
        rule="kv-offload-differs",
        impact="error",
        group="kv",
    ),
    Field(
        "kv_cache.placement",
        "text",
        "Where the KV cache sits: gpu, cpu or mixed.",
        rule="kv-cache-on-host",
        impact="error",
        group="kv",
    ),
    Field(
        "kv_transfer.connector",
        "text",
        "KV connector of a disaggregated setup.",
        rule="kv-transfer-differs",
        impact="error",
    ),
    Field(
        "kv_transfer.role",
        "text",
        "Producer or consumer of transferred KV.",
        rule="kv-transfer-differs",
        impact="error",
    ),
    Field(
        "scheduler.max_num_seqs",
        "int",
        "Requests scheduled at once.",
        rule="max-num-seqs-differs",
        impact="error",
        delegating=("None", -1, 0),
        group="scheduler",
        settles="the launch command with --max-num-seqs, or /server_info",
    ),
    Field(
        "scheduler.max_num_batched_tokens",
        "int",
        "Tokens scheduled per step.",
        rule="batched-tokens-differs",
        impact="error",
        delegating=("None", -1),
        group="scheduler",
        settles="a log with 'Chunked prefill is enabled with max_num_batched_tokens', or the launch command",
    ),
    Field(
        "scheduler.chunked_prefill",
        "bool",
        "Whether prompts are prefilled in chunks.",
        rule="chunked-prefill-differs",
        impact="error",
        delegating=("None",),
        group="scheduler",
    ),
    Field(
        "scheduler.async_scheduling",
        "bool",
        "Whether scheduling overlaps the model step.",
        rule="async-scheduling-differs",
        impact="error",
        delegating=("None",),
        group="scheduler",
        derives=("speculative.method",),
    ),
    Field("scheduler.policy", "text", "Scheduling policy, such as fcfs or priority.", group="scheduler"),
    Field(
        "attention.backend",
        "text",
        "The decoder's main attention backend, never the drafter's or the vision tower's.",
        rule="attention-backend-differs",
        impact="error",
        delegating=("None", "auto"),
        derives=("kv_cache.dtype", "engine.platform"),
        loose_spelling=True,
    ),
    Field(
        "moe.backend",
        "text",
        "Kernel of the mixture-of-experts layers.",
        rule="moe-backend-differs",
        impact="error",
        delegating=("auto",),
        derives=("model.path",),
        loose_spelling=True,
    ),
    Field(
        "linear.backend",
        "text",
        "Kernel of the quantized linear layers.",
        rule="linear-backend-differs",
        impact="error",
        derives=("model.path",),
        loose_spelling=True,
    ),
    Field(
        "graphs.enforce_eager",
        "bool",
        "Whether graph capture was turned off.",
        rule="cuda-graphs-differ",
        impact="error",
    ),
    Field(
        "graphs.mode",
        "text",
        "CUDA-graph mode, such as FULL_AND_PIECEWISE or NONE.",
        rule="cuda-graphs-differ",
        impact="error",
        derives=("kv_cache.dtype", "attention.backend", "graphs.enforce_eager"),
    ),
    Field(
        "graphs.capture_max",
        "int",
        "Largest captured batch.",
        rule="cuda-graphs-differ",
        impact="error",
        derives=("scheduler.max_num_seqs", "speculative.tokens"),
    ),
    Field(
        "graphs.memory_gib",
        "number",
        "Memory taken by captured graphs; may be negative as printed.",
        unit="GiB",
        tolerance=0.1,
        derives=("graphs.mode", "model.path"),
        binding="max",
    ),
    Field(
        "parallel.tensor",
        "int",
        "Tensor-parallel size.",
        rule="parallelism-differs",
        impact="error",
        group="parallelism",
        settles="a log with the engine line or the arguments line",
    ),
    Field(
        "parallel.pipeline",
        "int",
        "Pipeline-parallel size.",
        rule="parallelism-differs",
        impact="error",
        group="parallelism",
    ),
    Field("parallel.data", "int", "Data-parallel size.", rule="parallelism-differs", impact="error", group="parallelism"),
    Field(
        "parallel.expert",
        "int",
        "Expert-parallel size; vLLM: tensor times data when switched on.",
        rule="parallelism-differs",
        impact="error",
        group="parallelism",
    ),
    Field(
        "parallel.context",
        "int",
        "Context-parallel size.",
        rule="parallelism-differs",
        impact="error",
        group="parallelism",
    ),
    Field(
        "parallel.gpus",
        "int",
        "GPUs the run uses in all.",
        rule="gpu-count-differs",
        impact="error",
        group="parallelism",
    ),
    Field(
        "speculative.method",
        "text",
        "Speculative decoding method; none when proven off.",
        rule="speculative-decoding-differs",
        impact="error",
        none_means="none",
        group="speculation",
    ),
    Field(
        "speculative.model",
        "text",
        "Draft model.",
        rule="speculative-decoding-differs",
        impact="error",
        group="speculation",
        derives=("model.path",),
    ),
    Field(
        "speculative.tokens",
        "int",
        "Tokens drafted per step.",
        rule="speculative-decoding-differs",
        impact="error",
        group="speculation",
    ),
    Field(
        "memory.utilization",
        "number",
        "vLLM gpu_memory_utilization: share of the device's total memory.",
        unit="fraction",
        rule="memory-utilization-differs",
        impact="error",
        tolerance=0.001,
        group="memory",
        settles="the launch command with --gpu-memory-utilization, or a log that prints it",
    ),
    Field(
        "memory.static_fraction",
        "number",
        "SGLang mem_fraction_static, TensorRT-LLM free_gpu_memory_fraction: share of free memory at start.",
        unit="fraction",
        rule="memory-utilization-differs",
        impact="error",
        tolerance=0.001,
        group="memory",
    ),
    Field("memory.total_gib", "number", "Device memory.", unit="GiB", tolerance=0.01, group="memory", binding="min"),
    Field(
        "memory.free_at_start_gib",
        "number",
        "Free device memory when the engine came up.",
        unit="GiB",
        tolerance=0.02,
        group="memory",
        binding="min",
    ),
    Field("offload.cpu_weights_gib", "number", "Weights kept in CPU memory.", unit="GiB"),
    Field(
        "offload.gpu_layers",
        "text",
        "llama.cpp layers on the GPU, such as 33/33.",
        rule="parallelism-differs",
        impact="error",
    ),
    Field("run.seed", "int", "Random seed of the engine.", rule="seed-differs", impact="warning", delegating=("None",)),
    Field(
        "run.args",
        "object",
        "Launch arguments that are not defaults, secrets masked.",
        impact="cosmetic",
        settles="a log with the arguments line ('non-default args'), or the launch command",
    ),
    Field(
        "runtime.prefix_hit_rate",
        "number",
        "Share of prompt tokens found in the prefix cache; last known of the session, or the counters' delta.",
        unit="fraction",
        rule="prefix-hit-rates-differ",
        impact="by size",
        tolerance=0.05,
        derives=("kv_cache.prefix_caching",),
        settles="a log with statistics lines under load, or /metrics before and after",
    ),
    Field("runtime.kv_usage_peak", "number", "Highest share of the KV pool in use.", unit="fraction"),
    Field("runtime.max_running", "int", "Most requests running at once."),
    Field("runtime.max_waiting", "int", "Most requests waiting at once."),
    Field("runtime.preemptions", "int", "Preempted or retracted requests."),
    Field(
        "runtime.spec_acceptance",
        "number",
        "Share of drafted tokens that were accepted.",
        unit="fraction",
        derives=("speculative.method", "speculative.model"),
    ),
    Field("gpu.count", "int", "GPUs in the snapshot.", rule="gpu-count-differs", impact="error"),
    Field("gpu.names", "list", "GPU models in GPU order.", rule="gpu-model-differs", impact="error"),
    Field("gpu.uuids", "list", "GPU UUIDs in GPU order.", impact="cosmetic"),
    Field("gpu.driver", "text", "Driver version.", rule="gpu-driver-differs", impact="warning"),
    Field("gpu.cuda", "text", "CUDA version of the driver."),
    Field("gpu.memory_total_mib", "list", "Total memory per GPU.", unit="MiB"),
    Field("gpu.memory_used_mib", "list", "Used memory per GPU.", unit="MiB"),
    Field("gpu.memory_reserved_mib", "list", "Memory reserved by the driver per GPU.", unit="MiB"),
    Field(
        "gpu.tenants",
        "list",
        "Every process on the GPUs: gpu, pid, name, type, mib, class (own, foreign, desktop, unknown), reason.",
        rule="tenants-differ",
        impact="error",
        settles="a full nvidia-smi snapshot with its process table, taken on the host",
    ),
    Field(
        "gpu.unattributed_mib",
        "list",
        "Used memory that neither a process nor the driver's baseline explains, per GPU.",
        unit="MiB",
    ),
    Field("gpu.mig", "list", "MIG mode per GPU.", rule="gpu-mig-differs", impact="error"),
    Field("gpu.ecc", "list", "ECC mode per GPU.", rule="gpu-ecc-differs", impact="warning"),
    Field("gpu.persistence", "list", "Persistence mode per GPU."),
    Field("gpu.compute_mode", "list", "Compute mode per GPU.", rule="gpu-compute-mode-differs", impact="warning"),
    Field(
        "gpu.power_limit_w",
        "list",
        "Power limit per GPU.",
        unit="W",
        rule="gpu-power-limit-differs",
        impact="error",
        tolerance=0.01,
    ),
    Field(
        "gpu.clocks_mhz",
        "list",
        "SM clock per GPU; of several samples the median under load.",
        unit="MHz",
        rule="gpu-clocks-differ",
        impact="error",
        tolerance=0.1,
    ),
    Field("gpu.throttle_reasons", "list", "Active throttle reasons per GPU."),
    Field("gpu.pcie", "list", "PCIe link per GPU."),
    Field(
        "service.restart",
        "text",
        "Restart policy of the unit, compose file or pod.",
        settles="the unit file, compose file or pod description",
    ),
    Field("service.start_limit", "text", "Start limit, burst/interval."),
    Field("service.restarts", "int", "Restarts counted by the service manager."),
    Field("service.command", "list", "The launch command of the service."),
    Field(
        "service.watchdogs",
        "list",
        "Units and timers that restore services.",
        settles="the unit files and timers of the host, or the compose file that started the server",
    ),
)

FIELDS: dict[str, Field] = {row.name: row for row in _ROWS}

SPELLINGS: dict[str, dict[str, str]] = {
    "model.dtype": {
        "torch.bfloat16": "bfloat16",
        "bf16": "bfloat16",
        "torch.float16": "float16",
        "half": "float16",
        "fp16": "float16",
        "torch.half": "float16",
        "torch.float32": "float32",
        "float": "float32",
        "fp32": "float32",
    },
    "kv_cache.dtype": {
        "torch.bfloat16": "bfloat16",
        "bf16": "bfloat16",
        "torch.float16": "float16",
        "half": "float16",
        "f16": "float16",
        "torch.float32": "float32",
        "torch.float8_e4m3fn": "fp8_e4m3",
        "float8_e4m3fn": "fp8_e4m3",
        "torch.float8_e4m3fnuz": "fp8_e4m3",
        "torch.float8_e5m2": "fp8_e5m2",
        "float8_e5m2": "fp8_e5m2",
        "fp4_e2m1": "nvfp4",
        "torch.float4_e2m1fn_x2": "nvfp4",
    },
}
"""Other spellings of one value, per field: the recorded spelling on the right."""

GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(row.name for row in _ROWS if row.group == group)
    for group in dict.fromkeys(row.group for row in _ROWS if row.group)
}
"""Names that `--vary` takes besides single fields, with their members."""


def known_names() -> tuple[str, ...]:
    """Every field name, in registry order."""
    return tuple(FIELDS)


def spelled(name: str, value: Any) -> Any:
    """The recorded spelling of a value of the field `name`; anything without another spelling comes back unchanged."""
    if not isinstance(value, str):
        return value
    return SPELLINGS.get(name, {}).get(value.strip().lower(), value.strip())
