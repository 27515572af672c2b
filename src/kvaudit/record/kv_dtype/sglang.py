"""The evidence that SGLang's logs and checkpoints give about the KV element type.

Room: `record`. Each function is one rung; versions come from the releases that were read (0.3.0 to 0.5.23). The arguments line is
printed before the model is loaded, so `auto` in it stands in logs of runs that keep FP8 too.
"""

from __future__ import annotations

from packaging.version import Version

from kvaudit.fields import FIELDS, spelled
from kvaudit.parsers.facts import Origin
from kvaudit.record.engine_table import Behaviour, is_model_driven, kv_dtype_under_auto, span_of_names
from kvaudit.record.kv_dtype.arithmetic import same_model
from kvaudit.record.kv_dtype.ladder import Rank, Vote
from kvaudit.record.table import FactTable
from kvaudit.record.versions import Bounds, bounds

_CHECKPOINT_HEARD_SINCE = Version("0.5.3")


def votes(table: FactTable) -> list[Vote]:
    """Every vote that an SGLang arm's evidence gives, except arithmetic."""
    version = _version(table)
    return [*_worker(table), *_declared(table), *_untouched_auto(table, version), *_checkpoint(table, version)]


def _version(table: FactTable) -> Bounds | None:
    """The printed version, else what the names of the arguments prove: server logs print no version."""
    if printed := table.value("engine.version"):
        return bounds(printed)
    held = [clue.value for clue in table.clues.get("clue.raw_configuration", []) if isinstance(clue.value, dict)]
    arguments = next((raw["server_args"] for raw in held if isinstance(raw.get("server_args"), dict)), None)
    return None if arguments is None else span_of_names("sglang", arguments)


def _worker(table: FactTable) -> list[Vote]:
    """The element type that a worker names for its pool."""
    named = [(clue, _named(str(clue.value))) for clue in table.clues.get("clue.kv_dtype_worker", [])]
    how = "the worker names the element type"
    return [Vote(Rank.WORKER, value, clue.how or how, tuple(clue.origins)) for clue, value in named if value]


def _declared(table: FactTable) -> list[Vote]:
    """An element type in the arguments line, or one that the engine chose for the model before the workers started."""
    found = []
    for clue in table.clues.get("clue.kv_dtype_notice", []):
        if value := _named(str(clue.value)):
            how = "the engine chose the element type for this model before the workers started"
            found.append(Vote(Rank.DECLARED, value, how, tuple(clue.origins)))
    line = table.clue("clue.kv_dtype_engine_line")
    if value := _named(str(line)) if line else None:
        origins = tuple(table.clue_origins("clue.kv_dtype_engine_line"))
        found.append(Vote(Rank.DECLARED, _on_platform(table, value), "the arguments line names the element type", origins))
    return found


def _untouched_auto(table: FactTable, version: Bounds | None) -> list[Vote]:
    """`auto` in releases that never look at the checkpoint's statement is the model dtype."""
    dtype = table.value("model.dtype")
    if not _is_auto(table) or dtype is None or version is None or version.high >= _CHECKPOINT_HEARD_SINCE:
        return []
    origins: list[Origin] = [*table.clue_origins("clue.kv_dtype_engine_line")[:1], *_origins_of_version(table)]
    how = "auto, and no SGLang before 0.5.3 looks at the checkpoint, so it is the model dtype"
    return [Vote(Rank.UNTOUCHED_AUTO, str(dtype), how, tuple(origins))]


def _checkpoint(table: FactTable, version: Bounds | None) -> list[Vote]:
    """The checkpoint's statement through the version table, where the checkpoint is the one that ran."""
    behaviour = checkpoint_behaviour(table, version)
    if behaviour is None or not _is_auto(table) or behaviour.value == "unknown":
        return []
    value = table.value("model.dtype") if behaviour.value == "model" else _named(behaviour.value)
    if value is None:
        return []
    how = f"checkpoint statement × SGLang {_shown(table, version)} (row {behaviour.row})"
    origins = [*table.clue_origins("clue.checkpoint_quantization")[:2], *_origins_of_version(table)]
    return [Vote(Rank.CHECKPOINT, str(value), how, tuple(origins))]


def checkpoint_behaviour(table: FactTable, version: Bounds | None) -> Behaviour | None:
    """The table row for the checkpoint of this arm, None where checkpoint, version or model leave it open."""
    statement, config = table.clue("clue.checkpoint_statement"), table.clue("clue.checkpoint_config")
    if version is None or not isinstance(statement, dict) or is_model_driven("sglang", table.value("model.architecture")):
        return None
    if isinstance(config, dict) and not same_model(table, config):
        return None
    return kv_dtype_under_auto("sglang", version, statement)


def _is_auto(table: FactTable) -> bool:
    """Whether the arguments line leaves the element type to the engine, and no line says that the engine chose one."""
    line = table.clue("clue.kv_dtype_engine_line")
    return line is not None and FIELDS["kv_cache.dtype"].delegates(line) and not table.clues.get("clue.kv_dtype_notice")


def _shown(table: FactTable, version: Bounds | None) -> str:
    """The version, or the releases that have the arguments of this run: the upper end is not one of them."""
    if printed := table.value("engine.version"):
        return str(printed)
    return f"from {version.low} to before {version.high.base_version}" if version else "of unknown version"


def _origins_of_version(table: FactTable) -> list[Origin]:
    return table.origins("engine.version")[:1] or table.origins("run.args")[:1]


def _named(raw: str) -> str | None:
    """The recorded name of an element type; None for delegating words."""
    if not raw or raw == "None" or FIELDS["kv_cache.dtype"].delegates(raw):
        return None
    return str(spelled("kv_cache.dtype", raw))


def _on_platform(table: FactTable, value: str) -> str:
    """ROCm keeps FP8 in the variant its cards support, whichever was typed."""
    return "fp8" if value == "fp8_e5m2" and table.value("engine.platform") == "rocm" else value
