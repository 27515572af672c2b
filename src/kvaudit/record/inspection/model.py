"""The document `inspection`: what checkpoints tell before a start.

Room: `record`, inspection, shapes only. Key names are what users of `kvaudit inspect --format json` rely on.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from kvaudit import __version__
from kvaudit.parsers.facts import Origin
from kvaudit.record.model import DOCUMENT_VERSION, FieldState, SourceEntry


class QuantizationBlock(BaseModel):
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


class Contradiction(BaseModel):
    """Two statements that do not agree: of two files, or of two engines about one file."""

    between: Literal["files", "engines", "releases", "scales"]
    message: str
    origins: list[Origin] = []


class ScaleReport(BaseModel):
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


class LayerGroup(BaseModel):
    """Layers of one kind: bytes of one token in one layer of one rank, by element type; `window` in tokens."""

    kind: str
    layers: int
    bytes_per_token: dict[str, float]
    window: int | None = None
    state_bytes: int | None = None


class CacheReport(BaseModel):
    """What one rank keeps. `bytes_per_token` is over all layers, within every window; states come on top."""

    tensor_parallel: int
    attention: str | None
    why: str
    bound: str
    groups: list[LayerGroup]
    bytes_per_token: dict[str, float]


class EngineRow(BaseModel):
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


class TransferRow(BaseModel):
    """Moving the KV cache of one prompt over one kind of link; seconds, and the share of the prefill time."""

    link: str
    links: int
    gigabytes_per_second: float
    kv_dtype: str
    bytes: float
    seconds: float
    share_of_prefill: float | None


class Transfer(BaseModel):
    """The arithmetic of disaggregated serving: nothing of it was measured, except a rate that was given as measured."""

    arithmetic: Literal[True] = True
    prompt_tokens: int
    prefill_tokens_per_second: float | None
    prefill_how: str
    rows: list[TransferRow]
    because: str | None = None


class ModelInspection(BaseModel):
    """One checkpoint."""

    label: str
    repository: str | None = None
    revision: str | None = None
    sources: list[SourceEntry] = []
    identity: dict[str, FieldState] = {}
    scheme: FieldState | None = None
    blocks: list[QuantizationBlock] = []
    contradictions: list[Contradiction] = []
    scales: ScaleReport | None = None
    cache: CacheReport | None = None
    engines: list[EngineRow] = []
    transfer: Transfer | None = None
    not_known: list[str] = []
    error: str | None = None
    """Why this one of several checkpoints cannot be used; everything else is empty then."""


class Inspection(BaseModel):
    """All checkpoints of one call."""

    document: Literal["inspection"] = "inspection"
    version: int = DOCUMENT_VERSION
    kvaudit: str = __version__
    models: list[ModelInspection] = []
