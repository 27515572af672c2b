"""The document `inspection`: what checkpoints tell before a start.

Room: `record`, inspection, shapes only. Key names are what users of `kvaudit inspect --format json` rely on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from kvaudit import __version__
from kvaudit.parsers.facts import Origin
from kvaudit.record.model import DOCUMENT_VERSION, FieldState, SourceEntry


@dataclass(slots=True, kw_only=True)
class QuantizationBlock:
    """One quantization block of one file. `speaks` marks the one that `kv_cache.scheme` was taken from."""

    file: str
    method: str
    weights: str | None
    kv: str | None
    kv_key: str | None
    kv_raw: str | None
    nested: bool
    speaks: bool
    origins: list[Origin]


@dataclass(slots=True, kw_only=True)
class Contradiction:
    """Two statements that do not agree: of two files, or of two engines about one file."""

    between: Literal["files", "engines", "releases", "scales"]
    message: str
    origins: list[Origin] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class ScaleReport:
    """KV scales of the checkpoint, and what engines do with (or without) them."""

    value: str | None
    how: str
    attention_layers: int | None
    k_layers: int
    v_layers: int
    all_one: bool | None
    per_head: bool
    naming: list[str]
    engines: list[str]
    origins: list[Origin]


@dataclass(slots=True, kw_only=True)
class LayerGroup:
    """Layers of one kind: bytes of one token in one layer of one rank, by element type; `window` in tokens."""

    kind: str
    layers: int
    bytes_per_token: dict[str, float]
    window: int | None = None
    state_bytes: int | None = None


@dataclass(slots=True, kw_only=True)
class CacheReport:
    """What one rank keeps. `bytes_per_token` is over all layers, within every window; states come on top."""

    tensor_parallel: int
    attention: str | None
    why: str
    bound: str
    groups: list[LayerGroup]
    bytes_per_token: dict[str, float]


@dataclass(slots=True, kw_only=True)
class EngineRow:
    """What one engine does under `auto` in the releases from `since` (included) to `until` (excluded); None is an open end.

    `kv_dtype` is None where the table does not say; `shown` whether the log tells; `beats_flag` whether the checkpoint wins over
    an explicit flag; `file` the checkpoint file that decides.
    """

    engine: str
    since: str | None
    until: str | None
    kv_dtype: str | None
    shown: bool | None
    beats_flag: bool
    row: str | None
    source: str
    file: str | None


@dataclass(slots=True, kw_only=True)
class TransferRow:
    """Moving the KV cache of one prompt over one kind of link; seconds, and the share of the prefill time."""

    link: str
    links: int
    gigabytes_per_second: float
    kv_dtype: str
    bytes: float
    seconds: float
    share_of_prefill: float | None


@dataclass(slots=True, kw_only=True)
class Transfer:
    """The arithmetic of disaggregated serving: nothing of it was measured, except a rate that was given as measured."""

    arithmetic: Literal[True] = True
    prompt_tokens: int
    prefill_tokens_per_second: float | None
    prefill_how: str
    rows: list[TransferRow]
    because: str | None = None


@dataclass(slots=True, kw_only=True)
class ModelInspection:
    """One checkpoint."""

    label: str
    repository: str | None = None
    revision: str | None = None
    sources: list[SourceEntry] = field(default_factory=list)
    identity: dict[str, FieldState] = field(default_factory=dict)
    scheme: FieldState | None = None
    blocks: list[QuantizationBlock] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)
    scales: ScaleReport | None = None
    cache: CacheReport | None = None
    engines: list[EngineRow] = field(default_factory=list)
    transfer: Transfer | None = None
    not_known: list[str] = field(default_factory=list)
    error: str | None = None
    """Why this one of several checkpoints cannot be used; everything else is empty then."""


@dataclass(slots=True, kw_only=True)
class Inspection:
    """All checkpoints of one call."""

    document: Literal["inspection"] = "inspection"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    models: list[ModelInspection] = field(default_factory=list)
