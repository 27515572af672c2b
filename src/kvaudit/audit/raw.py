"""Everything else that differs between two raw configurations: engine lines and checkpoint files, key by key.

Room: `audit`. deepdiff compares; keys that a field already covers are left out. Its Delta feature is never used.
"""

from __future__ import annotations

import sys
from typing import Any

from kvaudit.audit.report import OtherDifference
from kvaudit.record.model import Record

_MOST = 200
_COVERED = frozenset(
    {
        "model",
        "tokenizer",
        "revision",
        "tokenizer_revision",
        "dtype",
        "torch_dtype",
        "max_seq_len",
        "tensor_parallel_size",
        "pipeline_parallel_size",
        "data_parallel_size",
        "quantization",
        "kv_cache_dtype",
        "enforce_eager",
        "seed",
        "served_model_name",
        "speculative_config",
        "enable_prefix_caching",
        "enable_chunked_prefill",
        "chunked_prefill_enabled",
        "trust_remote_code",
        "architectures",
        "num_hidden_layers",
        "num_key_value_heads",
        "head_dim",
        "cudagraph_mode",
    }
)


def other_differences(a: Record, b: Record) -> list[OtherDifference]:
    """The differing keys of configurations that both arms hold, as JSON pointers."""
    left, right = _configurations(a), _configurations(b)
    found = []
    for source in left:
        if source in right and repr(left[source]) != repr(right[source]):
            found += _compare(source, left[source], right[source])
    return found[:_MOST]


def _configurations(record: Record) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for clue in record.clues.get("clue.raw_configuration", []):
        if isinstance(clue.value, dict):
            for source, content in clue.value.items():
                out.setdefault(source, content)
    return out


def _deep_diff() -> Any:
    """The comparison of deepdiff, loaded without NumPy: configurations hold no arrays, and NumPy takes long to load."""
    hidden = "numpy" not in sys.modules
    if hidden:
        sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        from deepdiff import DeepDiff
    finally:
        if hidden:
            del sys.modules["numpy"]
    return DeepDiff


def _compare(source: str, left: Any, right: Any) -> list[OtherDifference]:
    tree = _deep_diff()(left, right, view="tree", ignore_order=False, max_passes=1, cache_size=0)
    found = []
    for kind in (
        "values_changed",
        "type_changes",
        "dictionary_item_added",
        "dictionary_item_removed",
        "iterable_item_added",
        "iterable_item_removed",
    ):
        for level in tree.get(kind, []):
            path = [str(part) for part in level.path(output_format="list")]
            if path and path[0] not in _COVERED and path[-1] not in _COVERED:
                found.append(OtherDifference(source=source, pointer=_pointer(path), values=(_plain(level.t1), _plain(level.t2))))
    return sorted(found, key=lambda one: one.pointer)


def _pointer(path: list[str]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def _plain(value: Any) -> Any:
    """A JSON value; deepdiff marks what is missing on one side with an object of its own."""
    return value if isinstance(value, str | int | float | bool | list | dict) or value is None else None
