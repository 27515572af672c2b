"""The LMDeploy log parser: what a whole start says beyond its single lines.

Room: the `Parser` protocol for LMDeploy; the reading itself is `plain_log`.
"""

from __future__ import annotations

from kvaudit.parsers import engine_words
from kvaudit.parsers.facts import Origin
from kvaudit.parsers.lmdeploy import configs, rows
from kvaudit.parsers.lmdeploy.messages import records
from kvaudit.parsers.plain_log import Dialect, PlainLog, PlainStart, Record
from kvaudit.patterns import LatePattern

_CERTAIN = LatePattern(
    r"^(?:input backend=|updated backend_config=|\[BlockManager\] |Object cache budget: |[Bb]uild(?:ing)? CacheEngine )"
)


def _settle(start: PlainStart) -> None:
    asked = _dump(start, "asked", "requested")
    updated = _dump(start, "updated", "resolved")
    _pytorch_pool(start)
    _turbomind_pool(start, {**asked, **updated})
    _speculation(start)


def _dump(start: PlainStart, name: str, stage: str) -> dict[str, object]:
    """The facts of the first dump of a kind; it is printed once per server."""
    held = start.kept.get(name)
    if not held:
        return {}
    match, record = held[0]
    values, collector = configs.parsed(match.groups["body"]), start.collector
    for field, value, key in configs.said(values):
        origin = collector.origin(record, max(0, record.message.find(f"{key}=")), name)
        collector.add(field, value, "requested" if stage == "requested" else "resolved", [origin], weight=1)
    origin = collector.origin(record, max(0, record.message.find("quant_policy=")), name)
    if policy := configs.kv_policy(values):
        collector.add("clue.kv_dtype_engine_line", policy, "resolved", [origin])
        collector.add("kv_cache.dtype", "auto" if policy == "model" else policy, "requested", [origin])
    if name == "asked":
        collector.add("run.args", values, "requested", [collector.origin(record, 0, name)])
    return values


def _pytorch_pool(start: PlainStart) -> None:
    """The first cache configuration is the model's; a draft model prints its own behind it."""
    held = start.kept.get("cache")
    if not held:
        return
    match, record = held[0]
    values = configs.parsed(match.groups["body"])
    blocks, size = configs.whole(values, "num_gpu_blocks"), configs.whole(values, "block_size")
    origin = start.collector.origin(record, max(0, record.message.find("num_gpu_blocks=")), "cache")
    if blocks is not None:
        start.collector.add("kv_cache.blocks", blocks, "observed", [origin])
    if size is not None:
        start.collector.add("kv_cache.block_size", size, "observed", [origin])
    if blocks is not None and size is not None:
        start.collector.add("kv_cache.tokens", blocks * size, "observed", [origin], how="blocks × block size")


def _turbomind_pool(start: PlainStart, values: dict[str, object]) -> None:
    """TurboMind prints blocks, and their size in MiB (whole MiB before 0.8, which is too coarse to multiply)."""
    collector = start.collector
    counted, size = collector.ranked("kv_cache.blocks"), configs.whole(values, "cache_block_seq_len")
    if start.kept.get("cache") or not counted:
        return
    fewest = min(counted, key=lambda fact: int(fact.value))
    if size is not None:
        collector.add("kv_cache.tokens", fewest.value * size, "inferred", fewest.origins, how="blocks × cache_block_seq_len")
    printed = start.kept.get("block-mib")
    if printed:
        match, record = printed[0]
        origins: list[Origin] = [*fewest.origins, collector.origin(record, match.start, "block-mib")]
        gib = round(fewest.value * float(match.groups["mib"]) / 1024, 4)
        collector.add("kv_cache.memory_gib", gib, "inferred", origins, how="blocks × MiB per block")


def _speculation(start: PlainStart) -> None:
    held = start.kept.get("speculation")
    if held and held[0][0].groups["body"].strip() == "None":
        record: Record = held[0][1]
        start.collector.add("speculative.method", "none", "resolved", [start.collector.origin(record, 0, "speculation")])


DIALECT = Dialect(
    name="lmdeploy",
    records=records,
    marks=engine_words.LMDEPLOY,
    facts=rows.FACTS,
    notices=rows.NOTICES,
    life=rows.LIFE,
    certain=lambda record: _CERTAIN.search(record.message) is not None,
    settle=_settle,
)


class LmdeployLog(PlainLog):
    """LMDeploy server and pipeline logs, 0.5 to 0.17."""

    name = "lmdeploy"
    dialect = DIALECT
    hints: tuple[bytes, ...] = (*DIALECT.hints, b"CacheEngine with config")
