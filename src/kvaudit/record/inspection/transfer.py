"""The KV transfer of disaggregated serving, as arithmetic: bytes of a prompt, seconds over a link, share of the prefill.

Room: `record`, inspection. Nothing here was measured but a prefill rate that the caller gives as measured. Link speeds are
decimal (400Gb = 50 GB/s) and nominal: protocols and contention take their part in reality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kvaudit.errors import UsageError
from kvaudit.patterns import LatePattern
from kvaudit.record.inspection.cache_shape import LLAMA_CPP_WIDTHS, WIDTHS, CacheShape
from kvaudit.record.inspection.model import Transfer, TransferRow

_LINK = LatePattern(r"^(\d{1,6}(?:\.\d{1,3})?)\s?(Gb|Gbit|Gbps|Gb/s|GbE|GE|GB|GB/s|GBps)$")
_RATE = LatePattern(r"^(?:(\d{1,6})\s?[x×])?(\d{1,9}(?:\.\d{1,3})?)$")
_COUNT = LatePattern(r"^(\d{1,9}(?:\.\d{1,6})?)([KMBT]?)$")
_SCALE = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_BITS = 8


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was written, and its gigabytes (10^9) a second in one direction."""

    name: str
    gigabytes_per_second: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to compute. `rate` is a measured prefill rate in tokens a second; `teraflops` a sum over the prefill GPUs."""

    prompt: int
    links: tuple[Link, ...]
    count: int = 1
    rate: float | None = None
    teraflops: float | None = None
    teraflops_written: str = ""
    parameters: float | None = None


def link_of(text: str) -> Link:
    """`400Gb`, `100GbE`, `50GB`. Raises `UsageError` for anything else."""
    found = _LINK.match(text.strip())
    if found is None or float(found.group(1)) == 0:
        raise UsageError(f"--link {text}: give a speed such as 400Gb, 100GbE (bits a second) or 50GB (bytes a second)")
    number, unit = float(found.group(1)), str(found.group(2))
    return Link(text.strip(), number if unit.startswith("GB") else number / _BITS)


def teraflops_of(text: str) -> float:
    """`4x400` (GPUs times TFLOPS each) or `1600`. Raises `UsageError` for anything else."""
    found = _RATE.match(text.strip())
    if found is None or float(found.group(2)) == 0 or found.group(1) == "0":
        raise UsageError(f"--prefill-tflops {text}: give the TFLOPS reached in prefill, such as 1600, or GPUs times each: 4x400")
    return int(found.group(1) or 1) * float(found.group(2))


def parameters_of(text: str) -> float:
    """`70.6B`, `800M`. Raises `UsageError` for anything else."""
    found = _COUNT.match(text.strip())
    if found is None or float(found.group(1)) == 0:
        raise UsageError(f"--parameters {text}: give the parameters that work on a token, such as 70.6B")
    return float(found.group(1)) * _SCALE[str(found.group(2))]


def transfer_of(wanted: Wanted, shape: CacheShape, parameters: int | None, *, gguf: bool = False) -> Transfer:
    """The figures for every link and element type. `shape` is that of one rank that holds everything."""
    rate, how = _prefill(wanted, parameters)
    types = list(LLAMA_CPP_WIDTHS if gguf else WIDTHS)
    sizes = {dtype: size for dtype in types if (size := shape.of_prompt(dtype, wanted.prompt))}
    rows = [_row(link, wanted, dtype, size, rate) for link in wanted.links for dtype, size in sizes.items()]
    because = None if sizes else f"the bytes of a prompt are not known: {_why(shape)}"
    return Transfer(prompt_tokens=wanted.prompt, prefill_tokens_per_second=rate, prefill_how=how, rows=rows, because=because)


def _why(shape: CacheShape) -> str:
    return "the size of the recurrent states is not" if shape.layers else shape.why


def _prefill(wanted: Wanted, counted: int | None) -> tuple[float | None, str]:
    """Tokens a second of the prefill: measured, or 2 floating-point operations a parameter and token."""
    if wanted.rate is not None:
        return wanted.rate, "given as measured"
    if wanted.teraflops is None:
        return None, "no prefill rate was given"
    parameters = wanted.parameters or counted
    if parameters is None:
        return None, "how many parameters work on a token is not known from this configuration: give --parameters"
    said = "given" if wanted.parameters else "counted from the shape"
    how = f"{wanted.teraflops_written} TFLOPS ÷ (2 × {parameters / 1e9:.4g}B parameters, {said}); attention itself is not counted"
    return wanted.teraflops * 1e12 / (2 * parameters), how


def _row(link: Link, wanted: Wanted, dtype: str, size: float, rate: float | None) -> TransferRow:
    seconds = size / (link.gigabytes_per_second * 1e9 * wanted.count)
    return TransferRow(
        link=link.name,
        links=wanted.count,
        gigabytes_per_second=link.gigabytes_per_second,
        kv_dtype=dtype,
        bytes=size,
        seconds=seconds,
        share_of_prefill=seconds / (wanted.prompt / rate) if rate else None,
    )


def links_of(texts: Sequence[str]) -> tuple[Link, ...]:
    """Every link of a call."""
    return tuple(link_of(text) for text in texts)
