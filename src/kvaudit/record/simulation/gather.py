"""The setup of a start from its facts, or which fact is missing.

Room: `record`, simulation. Everything but the element width comes from the evidence: a missing fact is no vote, never a guess.
"""

from __future__ import annotations

from typing import Any, Protocol, get_args

from kvaudit.parsers.checkpoint.geometry import SHAPE_COUNTS
from kvaudit.parsers.checkpoint.values import count_of, flag, positive
from kvaudit.record.kv_dtype.arithmetic import NO_CONFIG
from kvaudit.record.kv_dtype.ladder import bits
from kvaudit.record.simulation.setup import DEFAULT_BLOCK, Setup, StateMode, UnpredictableError
from kvaudit.record.versions import bounds

_CPU_BLOCK = 128
_LARGEST = 1 << 40
_WITHOUT_LAYERS = frozenset({"none", "ngram", "ngram_gpu", "suffix", "[ngram]"})
_UNREAD_ARGUMENTS = (
    "num_gpu_blocks_override",
    "hf_overrides",
    "kv_cache_dtype_skip_layers",
    "mamba_block_size",
    "disable_sliding_window",
    "prefix_match_unit",
)
"""Arguments that change blocks or layers in ways the simulation does not follow."""


class Evidence(Protocol):
    """What is known of an arm: the working table or a finished record."""

    def value(self, name: str) -> Any:
        """The effective value of a field, None unless known."""

    def clue(self, name: str) -> Any:
        """The value of a clue, None where there is none."""


def setup_of(arm: Evidence, config: dict[str, Any] | None = None) -> Setup:
    """The setup of a vLLM start; `config` replaces the arm's own checkpoint. Raises `UnpredictableError`, naming the fact."""
    config = config or arm.clue("clue.checkpoint_config")
    if not isinstance(config, dict):
        raise UnpredictableError(NO_CONFIG)
    if not _well_formed(config):
        raise UnpredictableError("the shape of the model is damaged")
    version = arm.value("engine.version")
    arguments = _arguments(arm)
    _refuse_unread(arm, config, arguments)
    return Setup(
        config=config,
        version=bounds(version if isinstance(version, str) else None),
        tensor=_number(arm, "parallel.tensor", "the tensor-parallel size"),
        max_model_len=_number(arm, "model.max_len", "the context limit"),
        decode_context=_count(arm.value("parallel.context")) or 1,
        batched_tokens=_count(arm.value("scheduler.max_num_batched_tokens")),
        asynchronous=flag(arm.value("scheduler.async_scheduling")),
        block_size=_block_size(arm, config),
        state_block=_count(arm.value("kv_cache.block_size")) if _recurrent(config) else None,
        announced_width=_width_of(arm.clue("clue.kv_dtype_engine_line"), arm),
        model_width=_model_width(arm),
        draft_layers=draft_layers(arm, config),
        speculative_tokens=_drafted_tokens(arm),
        prefix_caching=flag(arm.value("kv_cache.prefix_caching")),
        state_mode=_state_mode(arguments),
        hybrid_manager=arguments.get("disable_hybrid_kv_cache_manager") is not True,
    )


def draft_layers(arm: Evidence, config: dict[str, Any]) -> int:
    """Attention layers that the drafter adds to the pool."""
    method = arm.value("speculative.method")
    if method is None:
        raise UnpredictableError("whether a drafter shares the pool is not known")
    name = str(method).lower()
    if name in _WITHOUT_LAYERS:
        return 0
    layers = config.get("mtp_attention_layers")
    if name == "mtp" or name.endswith("_mtp"):
        if isinstance(layers, int):
            return layers
        raise UnpredictableError("the checkpoint does not state the layers of its draft module")
    raise UnpredictableError(
        f"the layers of the {method} drafter, which share the pool, are not known: its config.json is not at hand"
    )


def _refuse_unread(arm: Evidence, config: dict[str, Any], arguments: dict[str, Any]) -> None:
    if (arm.value("parallel.pipeline") or 1) != 1:
        raise UnpredictableError("the memory of each pipeline stage is not known")
    if (arguments.get("prefill_context_parallel_size") or 1) != 1:
        raise UnpredictableError("prefill context parallelism was not read on a real log")
    if str(arm.value("engine.core") or "v1") == "v0":
        raise UnpredictableError("the V0 engine counts blocks in its own way")
    unread = next((key for key in _UNREAD_ARGUMENTS if arguments.get(key) not in (None, False, {}, [])), None)
    if unread is not None:
        raise UnpredictableError(f"{unread} is set")
    connector = arm.value("kv_transfer.connector") or arguments.get("kv_transfer_config")
    if connector and config.get("attention") in ("sliding", "hybrid"):
        raise UnpredictableError("whether the KV connector turns the hybrid manager off is not known")


def _well_formed(config: dict[str, Any]) -> bool:
    """Whether counts are counts and layers are words: a saved record holds what its writer liked."""
    listed = config.get("layer_types")
    words = {"attention", "why", "model_type"} & config.keys()
    counts = (key for key in (*SHAPE_COUNTS, "mtp_attention_layers") if config.get(key) is not None)
    return (
        all(count_of(config[key]) is not None for key in counts)
        and all(config[key] is None or isinstance(config[key], str) for key in words)
        and (listed is None or (isinstance(listed, list) and all(isinstance(kind, str) for kind in listed)))
    )


def _count(value: Any) -> int | None:
    """A number above zero that a log may print."""
    number = positive(value)
    return number if number is not None and number < _LARGEST else None


def _number(arm: Evidence, name: str, words: str) -> int:
    value = _count(arm.value(name))
    if value is None:
        raise UnpredictableError(f"{words} is not known")
    return value


def _block_size(arm: Evidence, config: dict[str, Any]) -> int:
    stated = _count(arm.value("kv_cache.block_size"))
    if stated is not None and not _recurrent(config):
        return stated
    return _CPU_BLOCK if arm.value("engine.platform") == "cpu" else DEFAULT_BLOCK


def _recurrent(config: dict[str, Any]) -> bool:
    return config.get("attention") == "hybrid"


def _drafted_tokens(arm: Evidence) -> int:
    if str(arm.value("speculative.method")).lower() == "none":
        return 0
    return _number(arm, "speculative.tokens", "the number of drafted tokens")


def _model_width(arm: Evidence) -> float:
    dtype = arm.value("model.dtype")
    width = bits(dtype) if isinstance(dtype, str) else None
    if width is None:
        raise UnpredictableError("the model's dtype is not known")
    return width / 8


def _width_of(announced: Any, arm: Evidence) -> float | None:
    if announced == "auto":
        return _model_width(arm)
    width = bits(announced) if isinstance(announced, str) else None
    return width / 8 if width else None


def _arguments(arm: Evidence) -> dict[str, Any]:
    found = arm.value("run.args")
    return found if isinstance(found, dict) else {}


def _state_mode(arguments: dict[str, Any]) -> StateMode | None:
    mode = arguments.get("mamba_cache_mode")
    return next((known for known in get_args(StateMode) if known == mode), None)
