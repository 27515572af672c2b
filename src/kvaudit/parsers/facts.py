"""What a parser yields: facts with their origins, clues for later inference, and the starts found in a log.

Room: the border between `parsers` and `record`. Only shapes live here; no reading, no inference.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from kvaudit.fields import Stage
from kvaudit.shapes import HIDDEN

RUN_CLUE = "clue.result_run"
"""Its value is one `parsers.results.run.Run`, as an object: one per run of a file."""
COUNTERS_CLUE = "clue.metrics_counters"
"""Its value is one `parsers.metrics.shapes.Counters`: one per scrape of a dump."""
WINDOW_CLUE = "clue.metrics_window"
"""Its value is one `parsers.metrics.shapes.Window`; made by `record`."""

CLUES: dict[str, str] = {
    "clue.kv_dtype_worker": "A worker's own words name the KV element type (FlashInfer, fp8_ds_mla, a refusal of FP8).",
    "clue.kv_dtype_notice": "The engine announced a quantized KV cache before the workers started.",
    "clue.kv_dtype_engine_line": "kv_cache_dtype as the engine line prints it, delegating values included.",
    "clue.attention_candidates": "Attention backends that were valid after the KV dtype was applied, as a list.",
    "clue.flash_attention_version": "FlashAttention version of the decoder; version 2 holds no FP8 KV.",
    "clue.kv_needed_gib": "KV memory one request of full length needs, from a failed start.",
    "clue.kv_needed_tokens": "Length of the request that `clue.kv_needed_gib` is about.",
    "clue.capacity_line": "The capacity line was seen.",
    "clue.windowed_pool": "The log shows a pool for layers with sliding windows or recurrent state, beside the full one.",
    "clue.log_reached": "How far the start got: arguments, engine, weights, capacity, ready.",
    "clue.checkpoint_path": "Folder of the checkpoint files that were read.",
    "clue.checkpoint_config": "The parts of config.json that the KV arithmetic needs, as an object.",
    "clue.checkpoint_quantization": "The quantization block that speaks about KV, normalised, with the file it stands in.",
    "clue.quantization_block": "One quantization block of a checkpoint file, whether engines read it or not.",
    "clue.checkpoint_statement": "The block that decides among the files of a checkpoint; chosen by `record`.",
    "clue.kv_scales": "KV scales among the tensor names of an index or header: their layers, and whether all equal 1.0.",
    "clue.weights": "Tensors, elements by type and bytes of a file of weights.",
    "clue.header_hash": "Digest of the header of a file of weights.",
    "clue.kv_scale_notice": "A worker said that KV scales default to 1.0.",
    "clue.process_ids": "Process ids of the selected start, by process name.",
    "clue.device_names": "Device names or ids a log prints.",
    "clue.snapshot_visibility": "Whether a GPU snapshot shows every process: full, or partial with the reason.",
    "clue.snapshot_time": "When a GPU snapshot was taken, as printed.",
    "clue.snapshot_capture": "A further capture of the same snapshot file: its time, processes and memory, as an object.",
    "clue.gpu_condition": "What a snapshot says is wrong with a GPU: a kind (reset, lost, unlicensed, …) and its text.",
    "clue.service_setting": "One setting of a service (restart policy, limits, command, state) with its unit or container.",
    "clue.launch_command": "A server's command in the evidence: engine, model, the service it belongs to, its lines.",
    "clue.empty_argument": "An argument of a launch command that is empty, missing, or depends on an unset variable.",
    "clue.visible_devices": "GPUs that a launch command makes visible to the server, as written.",
    "clue.container_address": "The network of a container and the host addresses at which its ports are published, as an object.",
    "clue.crash_seconds": "Seconds between the first and the last stamp of a start that failed.",
    "clue.restart_policy": "Whether the service's policy can restart it for ever, with the arithmetic; made by `record`.",
    "clue.service_state": "What the service manager says of the service: running, auto-restart, CrashLoopBackOff, and the like.",
    "clue.why_unknown": "Fields that this log cannot show, as `fields`, and why, as `because`.",
    "clue.metrics_counters": "Counters of one scrape of a metrics dump: values by quantity, their lines, start, label sets.",
    "clue.metrics_window": "What was counted between the arm's metrics dumps, or since the start; made by `record`.",
    "clue.result_run": "One run of a benchmark client: every figure it printed, with its place in the file.",
    "clue.result_single": "One run of a single change that the arm combines with others: its name and the run.",
    "clue.raw_configuration": "A whole configuration (engine line, checkpoint file) for 'everything else that differs'.",
}
"""Evidence that is no field of its own; `record` turns it into inferred facts. Name and meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value stands: `line` is 1-based, split on newline only, in the original file; JSON and XML give `pointer`."""

    file: str
    line: int | None = None
    pointer: str | None = None
    excerpt: str = ""
    reader: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One value that somebody said of one field (or clue), with its origins.

    `scope` names the rank, worker or GPU the value is about; `how` says by which arithmetic or table row it was inferred.
    """

    field: str = dataclasses.field(metadata=HIDDEN)
    stage: Stage
    value: Any
    unit: str | None = None
    scope: str | None = None
    how: str | None = None
    origins: list[Origin] = dataclasses.field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """A line whose hint matched and whose pattern did not: kept and shown, never guessed."""

    line: int
    excerpt: str


@dataclass(slots=True, kw_only=True)
class Start:
    """One start of an engine in a log (a session). Lines are 1-based and inclusive."""

    first_line: int
    last_line: int
    outcome: str = "unknown"
    cause: str | None = None
    ready: bool | None = None
    facts: list[Fact] = dataclasses.field(default_factory=list, metadata=HIDDEN)


@dataclass(slots=True, kw_only=True)
class Reading:
    """Everything a parser found in one document. Facts outside any start hold for every start."""

    kind: str
    engine: str | None = None
    facts: list[Fact] = dataclasses.field(default_factory=list)
    starts: list[Start] = dataclasses.field(default_factory=list)
    unparsed: list[Unparsed] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    wrapper: str | None = None
    selected: int | None = None
    """A saved record's chosen start, 1-based."""
    recorded: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    """The sources that a saved record was made of, as it lists them."""
