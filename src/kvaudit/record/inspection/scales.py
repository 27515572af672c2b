"""Whether a checkpoint holds KV scales for every layer with attention, from its index and the headers of its weights.

Room: `record`, inspection. Lists of names come from the parsers; here they meet the layers that config.json tells of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kvaudit.parsers.checkpoint.layer_kinds import CHUNKED, FULL, SLIDING
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.table import FactTable

FIELD = "kv_cache.scales"
CLUE = "clue.kv_scales"

_WITH_KV = frozenset({FULL, SLIDING, CHUNKED})


@dataclass(frozen=True, slots=True)
class Scales:
    """KV scales of a checkpoint.

    `value` is in the words of `kv_cache.scales`, None where files are missing. `attention` is the number of layers that should
    have scales, None where nothing tells. `ones` says whether all values are 1.0, None where they were not read.
    """

    value: str | None
    how: str
    keys: int
    values: int
    attention: int | None
    ones: bool | None
    per_head: bool
    schemes: tuple[str, ...]
    origins: tuple[Origin, ...]


def settle_scales(table: FactTable) -> None:
    """State `kv_cache.scales` from the lists of tensor names, or say why they do not tell."""
    found = scales_of(table.clues.get(CLUE, []), table.clue("clue.checkpoint_config"))
    if found is None:
        return
    if found.value is None:
        table.reasons[FIELD] = found.how
        return
    table.add_once(fact(FIELD, found.value, "stated", list(found.origins), how=found.how))


def scales_of(clues: Sequence[Fact], config: Any) -> Scales | None:
    """The scales that these lists of names tell of; `config` is the clue of config.json. None where there is no list."""
    lists = [clue.value for clue in clues if isinstance(clue.value, dict)]
    if not lists:
        return None
    keys, values = (_union(one.get(name) for one in lists) for name in ("k", "v"))
    shape = config if isinstance(config, dict) else {}
    expected = _expected(shape, _union(one.get("attention_layers") for one in lists))
    counts = [len(found & expected) if expected else len(found) for found in (keys, values)]
    ones = _ones(lists, (keys | values) & expected if expected else keys | values)
    value, how = _judged(counts, len(expected) or None, ones, _listing(lists, len(expected), shape))
    return Scales(
        value=value,
        how=f"{how}, among {_tensors(lists)} tensor names",
        keys=counts[0],
        values=counts[1],
        attention=len(expected) or None,
        ones=ones,
        per_head=any(one.get("per_head") is True for one in lists),
        schemes=tuple(sorted(_union(one.get("schemes") for one in lists))),
        origins=_origins(clues),
    )


Listing = Literal["whole", "all layers", "part"]


def _listing(lists: Sequence[dict[str, Any]], seen: int, config: dict[str, Any]) -> Listing:
    """How much of the checkpoint the names cover: all of it, at least every layer with attention, or nobody knows what."""
    if any(one.get("listing") == "index" or one.get("whole") is True for one in lists):
        return "whole"
    kinds, layers = config.get("layer_types"), config.get("layers")
    attention = sum(kind in _WITH_KV for kind in kinds) if isinstance(kinds, list) else layers
    return "all layers" if seen and seen == attention else "part"


def _judged(counts: list[int], attention: int | None, ones: bool | None, listing: Listing) -> tuple[str | None, str]:
    """The value and how it was found. Layers without scales prove nothing as long as tensors may be missing."""
    if not any(counts):
        return ("none", "no KV scale") if listing == "whole" else (None, "no KV scale in the files at hand, which are not all")
    counted = f"K scales in {counts[0]} and V scales in {counts[1]}"
    counted += f" of {attention} layers with attention" if attention else " layers"
    if counts[0] == counts[1] and counts[0] == (attention or counts[0]) and listing != "part":
        return ("default_1.0", f"{counted}, all equal to 1.0") if ones else ("checkpoint", counted)
    return ("mixed", counted) if listing == "whole" else (None, f"{counted} in the files at hand, which are not all")


def _union(lists: Iterable[Any]) -> set[str]:
    return {str(item) for one in lists if isinstance(one, list) for item in one}


def _expected(config: dict[str, Any], with_projections: set[str]) -> set[str]:
    """The decoder layers that keep K and V, by name. Layers of the draft module, numbered after the last one, are none."""
    layers, kinds = config.get("layers"), config.get("layer_types")
    if not isinstance(layers, int):
        return {name for name in with_projections if not _is_draft(name)}
    main = {name for name in with_projections if not _is_draft(name) and _number(name) < layers}
    if not isinstance(kinds, list) or len(kinds) != layers:
        return main
    return {name for name in main if kinds[_number(name)] in _WITH_KV}


def _is_draft(name: str) -> bool:
    return name.startswith(("mtp.", "model.mtp.")) or ".mtp." in name


def _number(name: str) -> int:
    digits = name.rpartition(".")[2]
    return int(digits) if digits.isdigit() else 0


def _ones(lists: Sequence[dict[str, Any]], wanted: set[str]) -> bool | None:
    """Whether all scales were read and equal 1.0; one that differs is enough for no."""
    headers = [one for one in lists if one.get("listing") == "header" and (one.get("k") or one.get("v"))]
    answers = {one.get("ones") for one in headers}
    if False in answers:
        return False
    seen = _union(one.get("k") for one in headers) & _union(one.get("v") for one in headers)
    return True if answers == {True} and wanted and wanted <= seen else None


def _tensors(lists: Sequence[dict[str, Any]]) -> int:
    index = [int(one.get("tensors") or 0) for one in lists if one.get("listing") == "index"]
    return max(index) if index else sum(int(one.get("tensors") or 0) for one in lists)


def _origins(clues: Sequence[Fact]) -> tuple[Origin, ...]:
    """Files that hold scales speak first; without any, the index or the first header stands for all."""
    holding = [clue for clue in clues if clue.value.get("k") or clue.value.get("v")]
    ranked = sorted(holding or clues, key=lambda clue: clue.value.get("listing") != "index")
    return tuple(origin for clue in ranked[:2] for origin in clue.origins)
