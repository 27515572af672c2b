"""Every predicate: true, false, and unknown with what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from kvaudit.audit.context import ArmContext, Outcome
from kvaudit.audit.evaluate import evaluate
from kvaudit.audit.predicates.registry import all_predicates
from tests.audit.arms import Fields, pair, record

CONFLICT = [{"value": 1, "stage": "resolved"}, {"value": 2, "stage": "resolved"}]
TENANT = {"gpu": 0, "pid": 4101, "name": "VLLM::EngineCore", "type": "C", "mib": 70_000, "class": "own", "reason": "its title"}
FOREIGN = {**TENANT, "pid": 5000, "name": "python", "class": "foreign", "reason": "not named"}
ASKED = [{"value": "fp8", "stage": "requested"}, {"value": "fp8_e4m3", "stage": "resolved"}]
AUTO = [{"value": "auto", "stage": "requested"}, {"value": "fp8_e4m3", "stage": "resolved"}]
BEATEN = [{"value": "bfloat16", "stage": "requested"}, {"value": "fp8_e4m3", "stage": "inferred", "how": "KV memory ÷ tokens"}]
BUDGET = {"memory.total_gib": 80.0, "memory.utilization": 0.9, "model.weights_gib": 24.0}  # leaves 72 - 24 = 48 GiB
SERVER = {"engine.name": "vllm", "run.args": {"model": "acme/a", "port": 8000}}


def _published(*ports: tuple[str, str], network: str | None = None) -> Fields:
    held = [{"address": address, "target": target} for address, target in ports]
    return {**SERVER, "clue.container_address": {"service": "a", "network": network, "published": held}}


REACHABLE: list[tuple[str, dict[str, Any], Fields, bool | None]] = [
    ("reachable_address", {}, fields, truth)
    for fields, truth in (
        (SERVER, True),
        ({"run.args": {"host": "10.0.0.7"}}, True),
        ({"run.args": {"host": "::"}}, True),
        ({"run.args": {"host": "127.0.0.1"}}, False),
        ({"run.args": {"host": "[::1]"}}, False),
        ({"run.args": {"host": "LOCALHOST"}}, False),
        ({"run.args": {"uds": "/run/a.sock"}}, False),
        ({"engine.name": "sglang", "run.args": {"model_path": "acme/a"}}, False),
        ({"engine.name": "sglang", "run.args": {"host": "0.0.0.0"}}, True),  # noqa: S104
        ({"engine.name": "lmdeploy", "run.args": {"model_path": "acme/a"}}, None),
        ({"run.args": {"host": "$HOST"}}, None),
        ({"run.args": {"host": "<secret-1>"}}, None),
        ({"engine.name": "vllm"}, None),
        (_published(("", "8000")), True),
        (_published(("0.0.0.0", "8000"), ("127.0.0.1", "8000")), True),  # noqa: S104
        (_published(("127.0.0.1", "8000")), False),
        (_published(("127.0.0.1", "8000"), ("", "9400")), False),
        (_published(("", "9400")), None),
        (_published(("", "8000-8010")), True),
        (_published(("?", "8000")), None),
        (_published(), None),
        (_published(network="pod"), None),
        (_published(network="none"), False),
        (_published(network="host"), True),
        ({**_published(network="host"), "run.args": {"host": "127.0.0.1"}}, False),
        ({**_published(("", "8000")), "run.args": {}, "engine.name": "lmdeploy"}, None),
        ({**SERVER, "clue.container_address": "nonsense"}, True),
        ({**SERVER, "clue.container_address": {"published": "nonsense"}}, None),
    )
]
RESTART = {"service.restart": "on-failure", "service.start_limit": "5/300"}
DROPPED = {"flag": "--seed", "why": "$SEED is not set, so its value is dropped", "variable": "SEED"}


def _run(tool: str = "vllm-bench-serve", name: str = "run.json", **values: Any) -> dict[str, Any]:
    """A run as a clue holds it; `__` in a name stands for its dot."""
    return {"tool": tool, "file": name, "values": {key.replace("__", "."): {"value": value} for key, value in values.items()}}


def _runs(*runs: dict[str, Any]) -> Fields:
    return {"clue.result_run": [{"value": one} for one in runs]}


def _repeated(name: str, *speeds: float) -> Fields:
    return _runs(*(_run(name=f"{name}{at}", max_concurrency=8, output_throughput=one) for at, one in enumerate(speeds)))


HONEST = _runs(_run(duration=40.0, completed=1000, request_throughput=25.0))
DISHONEST = _runs(_run(duration=40.0, completed=1000, request_throughput=31.0))
SPECULATED = _runs(_run("custom", completed=100, output_tokens=10_000, output_length=250, ignore_eos=True, accept_length=2.5))
CERTAIN = {"certainty": "proven"}
UNIQUE = _runs(_run(dataset="random", completed=100))
REP: dict[str, Any] = {"completed": 500, "input_tokens": 262_144}
SLOWER = _runs(_run(**REP, ttft__median=71.0), _run(name="2", **REP, ttft__median=26.0))
STEADY = _runs(_run(**REP, ttft__median=27.0), _run(name="2", **REP, ttft__median=26.0))
PREFILL = _run(completed=10, input_tokens=40_000, output_tokens=1_000)
DECODE = _run(name="2", completed=10, input_tokens=1_000, output_tokens=40_000)
SWEEP: dict[str, Any] = {"max_concurrency": 8, "completed": 100, "input_tokens": 102_400, "output_tokens": 12_800}
CUT = _runs(_run(truncated=30, finished=300))
FEW = (1000.0, 1004.0)
SIX = (1000.0, 1004.0, 997.0, 1002.0, 999.0, 1001.0)
TIE = (1003.0, 998.0, 1001.0, 1005.0, 996.0, 1000.0)
WIN = (1052.0, 1049.0, 1055.0, 1050.0, 1047.0, 1053.0)
IDLE = (800.0, 800.4, 799.8, 800.2, 799.9, 800.1)


def _combined(speeds: tuple[float, ...], single: tuple[float, ...]) -> Fields:
    """Arm b with the runs of one single change beside its own."""
    alone = [{"value": {"name": "graphs", "run": one["value"]}} for one in _repeated("single", *single)["clue.result_run"]]
    return {**_repeated("b", *speeds), "clue.result_single": alone}


FAILED = {"outcome": "failed: no memory", "cause": "no memory", "ready": False}

RELEASE_19 = {"engine.name": "vllm", "engine.version": "0.19.1", "memory.utilization": 0.9, "run.args": {"model": "a"}}
RELEASE_20 = {**RELEASE_19, "engine.version": "0.20.0", "memory.utilization": 0.92}

ARM: list[tuple[str, dict[str, Any], Fields, bool | None]] = [
    ("equals", {"field": "run.seed", "value": 7}, {"run.seed": 7}, True),
    ("equals", {"field": "run.seed", "value": 7}, {"run.seed": 8}, False),
    ("equals", {"field": "run.seed", "value": 7}, {}, None),
    ("equals", {"field": "run.seed", "value": 1}, {"run.seed": CONFLICT}, None),
    ("equals", {"field": "model.revision", "value": "main"}, {"model.revision": None}, False),
    ("equals", {"field": "kv_cache.dtype", "value": "fp8", "stage": "requested"}, {"kv_cache.dtype": ASKED}, True),
    ("equals", {"field": "kv_cache.dtype", "value": "auto", "stage": "requested"}, {"kv_cache.dtype": AUTO}, None),
    ("one_of", {"field": "model.quantization", "values": ["awq", "gptq"]}, {"model.quantization": "GPTQ"}, True),
    ("one_of", {"field": "model.quantization", "values": ["awq"]}, {"model.quantization": "fp8"}, False),
    ("one_of", {"field": "model.quantization", "values": ["awq"]}, {}, None),
    ("matches", {"field": "attention.backend", "pattern": "^FLASH"}, {"attention.backend": "FLASHINFER"}, True),
    ("matches", {"field": "attention.backend", "pattern": "^FLASH"}, {"attention.backend": "TRITON_ATTN"}, False),
    ("matches", {"field": "attention.backend", "pattern": "^FLASH"}, {}, None),
    ("at_most", {"field": "model.max_len", "value": 4096}, {"model.max_len": 4096}, True),
    ("at_most", {"field": "model.max_len", "value": 4096}, {"model.max_len": 4097}, False),
    ("at_most", {"field": "model.max_len", "value": 4096}, {}, None),
    ("at_least", {"field": "model.max_len", "value": 4096}, {"model.max_len": 4096}, True),
    ("at_least", {"field": "model.max_len", "value": 4096}, {"model.max_len": 4095}, False),
    ("at_least", {"field": "model.max_len", "value": 4096}, {}, None),
    ("present", {"field": "kv_cache.offload"}, {"kv_cache.offload": "LMCache"}, True),
    ("present", {"field": "kv_cache.offload"}, {"kv_cache.offload": "none"}, False),
    ("present", {"field": "kv_cache.offload"}, {}, None),
    ("present", {"field": "model.revision"}, {"model.revision": None}, False),
    ("absent", {"field": "model.revision"}, {"model.revision": None}, True),
    ("absent", {"field": "speculative.method"}, {"speculative.method": "none"}, True),
    ("absent", {"field": "model.revision"}, {"model.revision": "main"}, False),
    ("absent", {"field": "model.revision"}, {}, None),
    ("undecided", {"field": "run.seed"}, {}, True),
    ("undecided", {"field": "run.seed"}, {"run.seed": CONFLICT}, True),
    ("undecided", {"field": "run.seed"}, {"run.seed": 0}, False),
    ("undecided", {"field": "model.revision"}, {"model.revision": None}, False),
    ("conflicts", {"field": "run.seed"}, {"run.seed": CONFLICT}, True),
    ("conflicts", {"field": "run.seed"}, {"run.seed": 1}, False),
    ("undeclared", {"field": "kv_cache.dtype"}, {"kv_cache.dtype": AUTO}, True),
    ("undeclared", {"field": "kv_cache.dtype"}, {"kv_cache.dtype": "fp8_e4m3", "run.args": {"model": "a"}}, True),
    ("undeclared", {"field": "kv_cache.dtype"}, {"kv_cache.dtype": ASKED}, False),
    ("undeclared", {"field": "kv_cache.dtype"}, {"kv_cache.dtype": "fp8_e4m3"}, None),
    ("overridden", {"field": "kv_cache.dtype", "stage": "requested"}, {"kv_cache.dtype": BEATEN}, True),
    ("overridden", {"field": "kv_cache.dtype", "stage": "requested"}, {"kv_cache.dtype": ASKED}, False),
    ("overridden", {"field": "kv_cache.dtype", "stage": "requested"}, {"kv_cache.dtype": AUTO}, False),
    ("overridden", {"field": "kv_cache.dtype", "stage": "inferred", "how": "KV memory"}, {"kv_cache.dtype": BEATEN}, False),
    ("overridden", {"field": "run.seed", "stage": "resolved"}, {"run.seed": CONFLICT}, None),
    ("narrower_than", {"field": "kv_cache.dtype", "bits": 16}, {"kv_cache.dtype": "fp8_e4m3"}, True),
    ("narrower_than", {"field": "kv_cache.dtype", "bits": 16}, {"kv_cache.dtype": "bfloat16"}, False),
    ("narrower_than", {"field": "kv_cache.dtype", "bits": 16}, {"kv_cache.dtype": "turboquant"}, None),
    ("narrower_than", {"field": "kv_cache.dtype", "bits": 16}, {}, None),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "runtime.max_running": 7, "runtime.max_waiting": 2}, True),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "runtime.max_running": 8}, False),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2}, None),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "parallel.data": 1, "result.max_concurrency": 32}, True),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "parallel.data": 1, "result.max_concurrency": [4, 32]}, True),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "parallel.data": 4, "result.max_concurrency": 32}, False),
    ("load_over_concurrency", {}, {"kv_cache.max_concurrency": 8.2, "result.max_concurrency": 32}, None),
    ("load_over_concurrency", {}, {"runtime.max_running": 8}, None),
    ("notice", {"code": "x"}, {"engine.name": "vllm", "engine.notices": [{"code": "x", "text": "t"}]}, True),
    ("notice", {"code": "x"}, {"engine.name": "vllm", "engine.notices": [{"code": "y", "text": "t"}]}, False),
    ("notice", {"code": "x"}, {"engine.name": "vllm"}, False),
    ("notice", {"code": "x"}, {}, None),
    (
        "exceeds",
        {"field": "memory.total_gib", "other": "memory.free_at_start_gib", "value": 2},
        {"memory.total_gib": 80.0, "memory.free_at_start_gib": 77.5},
        True,
    ),
    (
        "exceeds",
        {"field": "memory.total_gib", "other": "memory.free_at_start_gib", "value": 2},
        {"memory.total_gib": 80.0, "memory.free_at_start_gib": 78.0},
        False,
    ),
    (
        "exceeds",
        {"field": "memory.total_gib", "other": "memory.free_at_start_gib", "share": 0.1},
        {"memory.total_gib": 80.0, "memory.free_at_start_gib": 71.0},
        True,
    ),
    ("exceeds", {"field": "memory.total_gib", "other": "memory.free_at_start_gib"}, {"memory.total_gib": 80.0}, None),
    ("count_over", {"field": "gpu.tenants", "key": "class", "values": ["own"], "count": 0}, {"gpu.tenants": [TENANT]}, True),
    ("count_over", {"field": "gpu.tenants", "key": "class", "values": ["own"], "count": 1}, {"gpu.tenants": [TENANT]}, False),
    ("count_over", {"field": "gpu.tenants", "key": "class", "values": ["own"], "count": 0}, {}, None),
    ("any_item_over", {"field": "gpu.unattributed_mib", "value": 500}, {"gpu.unattributed_mib": [0, 501]}, True),
    ("any_item_over", {"field": "gpu.unattributed_mib", "value": 500}, {"gpu.unattributed_mib": [0, 500]}, False),
    ("any_item_over", {"field": "gpu.unattributed_mib", "value": 500}, {}, None),
    ("any_item_of", {"field": "gpu.throttle_reasons", "values": ["hw"]}, {"gpu.throttle_reasons": [["hw"]]}, True),
    ("any_item_of", {"field": "gpu.throttle_reasons", "values": ["hw"]}, {"gpu.throttle_reasons": [["sw"]]}, False),
    ("any_item_of", {"field": "gpu.throttle_reasons", "values": ["hw"]}, {}, None),
    ("failed_starts", {"count": 2}, {"sessions": [FAILED, FAILED]}, True),
    ("failed_starts", {"count": 2}, {"sessions": [FAILED]}, False),
    ("failed_starts", {"count": 2}, {}, None),
    ("kv_pool_below_budget", {"share": 0.5, "slack": 0.1}, {**BUDGET, "kv_cache.memory_gib": 23.9}, True),
    ("kv_pool_below_budget", {"share": 0.5, "slack": 0.1}, {**BUDGET, "kv_cache.memory_gib": 24.1}, False),
    ("kv_pool_below_budget", {"share": 0.5, "slack": 0.4}, {**BUDGET, "kv_cache.memory_gib": 23.9}, False),
    ("kv_pool_below_budget", {"share": 0.5, "slack": 0.1}, BUDGET, None),
    ("tenant_on_run_gpu", {"classes": ["foreign"], "placed": "proven"}, {"gpu.count": 1, "gpu.tenants": [TENANT, FOREIGN]}, True),
    ("tenant_on_run_gpu", {"classes": ["foreign"], "placed": "proven"}, {"gpu.count": 1, "gpu.tenants": [TENANT]}, False),
    ("tenant_on_run_gpu", {"classes": ["foreign"], "placed": "proven"}, {"gpu.count": 1}, None),
    ("tenants_hold_under", {"classes": ["foreign"], "share": 2.0}, {"gpu.tenants": [FOREIGN], "kv_cache.memory_gib": 40.0}, True),
    (
        "tenants_hold_under",
        {"classes": ["foreign"], "share": 0.05},
        {"gpu.tenants": [FOREIGN], "kv_cache.memory_gib": 40.0},
        False,
    ),
    ("tenants_hold_under", {"classes": ["foreign"], "share": 0.05}, {"gpu.tenants": [FOREIGN]}, None),
    ("tenants_hold_under", {"classes": ["foreign"], "share": 0.05, "mib": 80_000}, {"gpu.tenants": [FOREIGN]}, True),
    ("more_own_processes_than_gpus", {}, {"gpu.tenants": [TENANT, {**TENANT, "pid": 9}], "parallel.gpus": 1}, True),
    ("more_own_processes_than_gpus", {}, {"gpu.tenants": [TENANT], "parallel.gpus": 1}, False),
    ("more_own_processes_than_gpus", {}, {"gpu.tenants": [TENANT]}, None),
    ("more_own_processes_than_gpus", {}, {"gpu.tenants": [TENANT, {**TENANT, "pid": 9}], "gpu.mig": ["Enabled"]}, None),
    (
        "tenant_on_run_gpu",
        {"classes": ["foreign"], "placed": "proven"},
        {"gpu.count": 1, "gpu.mig": ["Enabled"], "gpu.tenants": [FOREIGN]},
        False,
    ),
    (
        "tenant_on_run_gpu",
        {"classes": ["foreign"], "placed": "possible"},
        {"gpu.mig": ["Enabled"], "gpu.tenants": [FOREIGN]},
        True,
    ),
    ("gpu_condition", {"kinds": ["reset"]}, {"clue.gpu_condition": {"kind": "reset", "text": "GPU 0 needs a reset"}}, True),
    ("gpu_condition", {"kinds": ["lost"]}, {"clue.gpu_condition": {"kind": "reset", "text": "GPU 0 needs a reset"}}, False),
    ("gpu_condition", {"kinds": ["reset"]}, {"gpu.count": 1}, False),
    *REACHABLE,
    ("restarts_for_ever", {}, {**RESTART, "clue.restart_policy": {"endless": True, "because": "5 × 60 s"}}, True),
    ("restarts_for_ever", {}, {**RESTART, "clue.restart_policy": {"endless": False, "misplaced": ["X in [Service]"]}}, True),
    ("restarts_for_ever", {}, {**RESTART, "clue.restart_policy": {"endless": False, "because": "5 × 6 s"}}, False),
    ("restarts_for_ever", {}, {"service.restart": None}, False),
    ("restarts_for_ever", {}, {**RESTART, "clue.restart_policy": {"endless": None, "because": "the time to crash"}}, None),
    ("restarts_for_ever", {}, {}, None),
    ("service_state", {"values": ["CrashLoopBackOff"]}, {"clue.service_state": "CrashLoopBackOff"}, True),
    ("service_state", {"values": ["CrashLoopBackOff"]}, {"clue.service_state": "running"}, False),
    ("service_state", {"values": ["CrashLoopBackOff"]}, {}, False),
    ("holds_items", {"field": "service.watchdogs"}, {"service.watchdogs": ["keepalive.timer"]}, True),
    ("holds_items", {"field": "service.watchdogs"}, {"service.watchdogs": []}, False),
    ("holds_items", {"field": "service.watchdogs"}, {}, None),
    ("empty_argument", {}, {"clue.empty_argument": {**DROPPED, "proven": True}}, True),
    ("empty_argument", {}, {"run.args": {"tokenizer": ""}}, True),
    ("empty_argument", {}, {"run.args": {"tokenizer": "auto", "api_key": ""}}, False),
    ("empty_argument", {}, {"run.args": {"seed": 1}, "clue.empty_argument": {**DROPPED, "proven": False}}, None),
    ("empty_argument", {}, {}, None),
    ("figures_disagree", {}, DISHONEST, True),
    ("figures_disagree", {"grave": True}, DISHONEST, True),
    ("figures_disagree", {}, HONEST, False),
    ("figures_disagree", {}, _runs(_run(completed=1)), None),
    ("figures_disagree", {}, {}, None),
    ("tokens_are_events", CERTAIN, SPECULATED, True),
    ("tokens_are_events", CERTAIN, _runs(_run(output_tokens=100)), False),
    ("tokens_are_events", {"certainty": "beside"}, {}, None),
    ("no_steady_state", {}, _runs(_run(duration=3.0)), True),
    ("no_steady_state", {}, _runs(_run(duration=300.0)), False),
    ("no_steady_state", {}, _runs(_run(completed=1)), None),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "runtime.prefix_hit_rate": 0.5, "runtime.preemptions": 0}, True),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "runtime.prefix_hit_rate": 0.5, "runtime.max_waiting": 0}, True),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "runtime.prefix_hit_rate": 0.5, "runtime.max_waiting": 9}, None),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "runtime.prefix_hit_rate": 0.5}, None),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "runtime.prefix_hit_rate": 0.05}, False),
    ("hits_on_unique_prompts", {"value": 0.1}, {**UNIQUE, "kv_cache.prefix_caching": False}, False),
    ("hits_on_unique_prompts", {"value": 0.1}, {**HONEST, "runtime.prefix_hit_rate": 0.5}, None),
    ("first_run_slower", {}, SLOWER, True),
    ("first_run_slower", {}, STEADY, False),
    ("first_run_slower", {}, {}, None),
    ("one_load_two_speeds", {}, _runs(_run(**SWEEP, output_throughput=900.0), _run(**SWEEP, output_throughput=400.0)), True),
    ("one_load_two_speeds", {}, _runs(_run(**SWEEP, output_throughput=900.0), _run(**SWEEP, output_throughput=800.0)), False),
    ("one_load_two_speeds", {}, {}, None),
    ("one_shape_only", {}, _runs(PREFILL, PREFILL), True),
    ("one_shape_only", {}, _runs(PREFILL, DECODE), False),
    ("one_shape_only", {}, _runs(PREFILL), None),
    ("row_label_lacks", {}, HONEST, True),
    ("row_label_lacks", {}, {**HONEST, "model.path": "acme/atlas-13b", "kv_cache.dtype": "bfloat16"}, False),
    ("row_label_lacks", {}, {}, None),
    ("answers_cut", {"share": 0.01}, CUT, True),
    ("answers_cut", {"share": 0.2}, CUT, False),
    ("answers_cut", {"share": 0.01}, HONEST, None),
    ("cut_more_than_the_other", {"points": 0.02}, {**CUT, "other": _runs(_run(truncated=3, finished=300))}, True),
    ("cut_more_than_the_other", {"points": 0.02}, {**CUT, "other": CUT}, False),
    ("cut_more_than_the_other", {"points": 0.02}, CUT, None),
]

PAIR: list[tuple[str, dict[str, Any], Fields, Fields, tuple[str, ...], bool | None]] = [
    ("differs", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 2}, (), True),
    ("differs", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 1}, (), False),
    ("differs", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 2}, ("run.seed",), False),
    ("differs", {"fields": ["run.seed"]}, {"run.seed": 1}, {}, (), None),
    ("differs", {"fields": ["run.seed"]}, {}, {}, (), None),
    ("differs", {"fields": ["kv_cache.dtype"]}, {"kv_cache.dtype": "fp8"}, {"kv_cache.dtype": "fp8_e4m3"}, (), False),
    ("differs", {"fields": ["memory.utilization"]}, {"memory.utilization": 0.9}, {"memory.utilization": 0.9005}, (), False),
    ("differs", {"fields": ["memory.utilization"]}, {"memory.utilization": 0.9}, {"memory.utilization": 0.92}, (), True),
    ("same", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 1}, (), True),
    ("same", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 2}, (), False),
    ("same", {"fields": ["run.seed"]}, {"run.seed": 1}, {}, (), None),
    ("differs_undeclared", {"fields": ["run.seed"]}, {"run.seed": 1, "run.args": {}}, {"run.seed": 2, "run.args": {}}, (), True),
    (
        "differs_undeclared",
        {"fields": ["run.seed"]},
        {"run.seed": {"value": 1, "stage": "requested"}},
        {"run.seed": 2, "run.args": {}},
        (),
        False,
    ),
    ("differs_undeclared", {"fields": ["run.seed"]}, {"run.seed": 1}, {"run.seed": 2, "run.args": {}}, (), None),
    (
        "relative_gap_from",
        {"field": "kv_cache.tokens", "value": 0.2},
        {"kv_cache.tokens": 100},
        {"kv_cache.tokens": 80},
        (),
        True,
    ),
    (
        "relative_gap_from",
        {"field": "kv_cache.tokens", "value": 0.2},
        {"kv_cache.tokens": 100},
        {"kv_cache.tokens": 81},
        (),
        False,
    ),
    (
        "relative_gap_from",
        {"field": "kv_cache.tokens", "value": 0.2},
        {"kv_cache.tokens": 100},
        {"kv_cache.tokens": 100},
        (),
        False,
    ),
    ("default_moved", {}, RELEASE_19, RELEASE_20, (), True),
    ("default_moved", {}, RELEASE_19, {**RELEASE_20, "memory.utilization": 0.85}, (), False),
    ("default_moved", {}, RELEASE_19, {**RELEASE_20, "engine.version": "0.19.1"}, (), False),
    ("default_moved", {}, RELEASE_19, RELEASE_20, ("memory.utilization",), False),
    ("default_moved", {}, RELEASE_19, {**RELEASE_20, "memory.utilization": [{"value": 0.92, "stage": "requested"}]}, (), False),
    ("default_moved", {}, RELEASE_19, {key: RELEASE_20[key] for key in RELEASE_20 if key != "run.args"}, (), None),
    ("default_moved", {}, {"engine.name": "vllm", "memory.utilization": 0.9}, RELEASE_20, (), None),
    ("relative_gap_from", {"field": "kv_cache.tokens", "value": 0.2}, {"kv_cache.tokens": 100}, {}, (), None),
    (
        "relative_gap_from",
        {"field": "kv_cache.tokens", "value": 0.2},
        {"kv_cache.tokens": 100},
        {"kv_cache.tokens": 50},
        ("kv",),
        False,
    ),
    (
        "points_from",
        {"field": "runtime.prefix_hit_rate", "value": 0.2},
        {"runtime.prefix_hit_rate": 0.67},
        {"runtime.prefix_hit_rate": 0.45},
        (),
        True,
    ),
    (
        "points_from",
        {"field": "runtime.prefix_hit_rate", "value": 0.2},
        {"runtime.prefix_hit_rate": 0.67},
        {"runtime.prefix_hit_rate": 0.5},
        (),
        False,
    ),
    ("points_from", {"field": "runtime.prefix_hit_rate", "value": 0.2}, {"runtime.prefix_hit_rate": 0.67}, {}, (), None),
    ("axes_over", {"count": 1}, {"model.max_len": 1, "parallel.tensor": 1}, {"model.max_len": 2, "parallel.tensor": 2}, (), True),
    (
        "axes_over",
        {"count": 1},
        {"model.max_len": 1, "parallel.tensor": 1},
        {"model.max_len": 2, "parallel.tensor": 1},
        (),
        False,
    ),
    ("axes_over", {"count": 1}, {"model.max_len": 1}, {"parallel.tensor": 2}, (), None),
    (
        "axes_over",
        {"count": 1},
        {"parallel.tensor": 1, "parallel.pipeline": 1},
        {"parallel.tensor": 2, "parallel.pipeline": 2},
        (),
        False,
    ),
    (
        "weights_and_settings_differ",
        {},
        {"model.path": "x/a", "model.max_len": 1},
        {"model.path": "x/b", "model.max_len": 2},
        (),
        True,
    ),
    (
        "weights_and_settings_differ",
        {},
        {"model.path": "x/a", "model.max_len": 1},
        {"model.path": "x/b", "model.max_len": 1},
        (),
        False,
    ),
    ("weights_and_settings_differ", {}, {"model.path": "x/a"}, {"model.max_len": 1}, (), None),
    (
        "meaning_differs",
        {"field": "kv_cache.tokens"},
        {"engine.name": "vllm", "engine.version": "0.25.1"},
        {"engine.name": "vllm", "engine.version": "0.22.0"},
        (),
        False,
    ),
    ("meaning_differs", {"field": "kv_cache.tokens"}, {"engine.name": "vllm"}, {"engine.name": "vllm"}, (), None),
    (
        "meaning_differs",
        {"field": "kv_cache.tokens"},
        {"kv_cache.tokens": 32_000, "model.max_len": 1_000, "kv_cache.max_concurrency": 32.0},
        {"kv_cache.tokens": 40_000, "model.max_len": 1_000, "kv_cache.max_concurrency": 32.0},
        (),
        True,
    ),
    ("no_other_meaning", {"field": "kv_cache.tokens"}, {}, {}, (), True),
    (
        "no_other_meaning",
        {"field": "kv_cache.tokens"},
        {"kv_cache.tokens": 32_000, "model.max_len": 1_000, "kv_cache.max_concurrency": 32.0},
        {"kv_cache.tokens": 40_000, "model.max_len": 1_000, "kv_cache.max_concurrency": 32.0},
        (),
        False,
    ),
    ("kinds_differ", {"field": "gpu.names"}, {"gpu.names": ["H20", "H20"]}, {"gpu.names": ["L40S"]}, (), True),
    ("kinds_differ", {"field": "gpu.names"}, {"gpu.names": ["H20", "H20"]}, {"gpu.names": ["H20"]}, (), False),
    ("kinds_differ", {"field": "gpu.names"}, {"gpu.names": ["H20"]}, {}, (), None),
    ("only_one_arm", {"field": "kv_cache.offload"}, {"kv_cache.offload": "LMCache"}, {"kv_cache.offload": "none"}, (), True),
    ("only_one_arm", {"field": "kv_cache.offload"}, {"kv_cache.offload": "none"}, {"kv_cache.offload": "none"}, (), False),
    ("only_one_arm", {"field": "kv_cache.offload"}, {"kv_cache.offload": "LMCache"}, {}, (), None),
    ("tenants_differ", {"classes": ["foreign"]}, {"gpu.tenants": [FOREIGN]}, {"gpu.tenants": []}, (), True),
    ("tenants_differ", {"classes": ["foreign"]}, {"gpu.tenants": [TENANT]}, {"gpu.tenants": [{**TENANT, "pid": 1}]}, (), False),
    ("tenants_differ", {"classes": ["foreign"]}, {"gpu.tenants": [FOREIGN]}, {}, (), None),
    ("fewer_runs_than", {"count": 6}, _repeated("a", *FEW), _repeated("b", *WIN), (), True),
    ("fewer_runs_than", {"count": 6}, _repeated("a", *SIX), _repeated("b", *WIN), (), False),
    ("fewer_runs_than", {"count": 6}, _repeated("a", *FEW), _repeated("a", *FEW), (), None),
    ("answer_lengths_differ", {"share": 0.02}, _runs(PREFILL), _runs(DECODE), (), True),
    ("answer_lengths_differ", {"share": 0.02}, _runs(_run(**SWEEP)), _runs(_run(**SWEEP, seed=1)), (), False),
    ("answer_lengths_differ", {"share": 0.02}, _runs(PREFILL), {}, (), None),
    ("gate_decides", {"decisions": ["tie"]}, _repeated("a", *SIX), _repeated("b", *TIE), (), True),
    ("gate_decides", {"decisions": ["tie"]}, _repeated("a", *SIX), _repeated("b", *WIN), (), False),
    ("gate_decides", {"decisions": ["tie"]}, {}, {}, (), None),
    ("slow_and_stable", {}, _repeated("a", *SIX), _repeated("b", *IDLE), (), True),
    ("slow_and_stable", {}, _repeated("a", *SIX), _repeated("b", *WIN), (), False),
    ("slow_and_stable", {}, {}, {}, (), None),
    ("combination_no_better", {}, _repeated("a", *SIX), _combined(TIE, WIN), (), True),
    ("combination_no_better", {"loses": True}, _repeated("a", *SIX), _combined(WIN, WIN[::-1]), (), False),
    ("combination_no_better", {}, _repeated("a", *SIX), _repeated("b", *WIN), (), None),
]


def _named(rows: list[Any]) -> list[str]:
    return [f"{number}-{row[0]}-{row[-1]}" for number, row in enumerate(rows)]


def _checked(outcome: Outcome, truth: bool | None, name: str) -> None:
    assert outcome.truth is truth
    if truth is None:
        assert outcome.missing, f"{name} is unknown and says nothing about what is missing"
    if truth is True and name not in {"no_other_meaning", "failed_starts", "meaning_differs"}:
        assert outcome.cited or outcome.missing, f"{name} is true and shows no fact"


@pytest.mark.parametrize(("name", "arguments", "fields", "truth"), ARM, ids=_named(ARM))
def test_arm(name: str, arguments: dict[str, Any], fields: Fields, truth: bool | None) -> None:
    own = {key: value for key, value in fields.items() if key != "other"}
    other = record(fields["other"]) if "other" in fields else None
    _checked(evaluate({name: arguments}, ArmContext("a", record(own), other=other)), truth, name)


@pytest.mark.parametrize("row", PAIR, ids=_named(PAIR))
def test_pair(row: tuple[str, dict[str, Any], Fields, Fields, tuple[str, ...], bool | None]) -> None:
    name, arguments, a, b, vary, truth = row
    _checked(evaluate({name: arguments}, pair(a, b, *vary)), truth, name)


def test_every_predicate_is_tested_with_all_its_answers() -> None:
    answers_of = [(name, truth) for name, _, _, truth in ARM] + [(row[0], row[5]) for row in PAIR]
    seen: dict[str, set[bool | None]] = {}
    for name, truth in answers_of:
        seen.setdefault(name, set()).add(truth)
    two_valued = {"undecided", "conflicts", "no_other_meaning", "service_state", "gpu_condition"}
    in_the_policy_tests = {"requirement_unmet"}
    assert set(seen) == set(all_predicates()) - in_the_policy_tests
    assert {name for name, answers in seen.items() if answers != {True, False, None}} == two_valued


def test_pairs_of_unknown_values_never_agree() -> None:
    """The heart of the tool: two times auto is not the same."""
    auto = {"kv_cache.dtype": {"value": "auto", "stage": "requested"}}
    assert evaluate({"same": {"fields": ["kv_cache.dtype"]}}, pair(auto, auto)).truth is None
    assert evaluate({"differs": {"fields": ["kv_cache.dtype"]}}, pair(auto, auto)).truth is None
