"""Words of llama.cpp's logs as values of fields.

Room: small pure functions for the row tables. A converter returns None to drop what proves nothing.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern

MIB_PER_GIB = 1024
_BUILD = LatePattern(r"^(?P<number>\d+) (?P<commit>[0-9a-f]{6,40})$")
_ELEMENTS = {"f16": "float16", "bf16": "bfloat16", "f32": "float32"}
_UNQUANTIZED = frozenset({"f16", "f32", "bf16", "all f32", "mostly f16", "mostly bf16"})


def mib(words: str) -> float | None:
    """MiB as GiB."""
    return float(words) / MIB_PER_GIB


def size(words: str) -> float | None:
    """`18.48 GiB` or `4.54 MiB` as GiB; the units are binary."""
    number, _, unit = words.partition(" ")
    scale = {"GiB": 1.0, "MiB": MIB_PER_GIB, "KiB": MIB_PER_GIB**2, "TiB": 1 / MIB_PER_GIB}.get(unit.strip())
    return float(number) / scale if scale else None


def version(words: str) -> str | None:
    """`8193 (ecd99d6a9)` from build number and commit; None where the build does not know them."""
    found = _BUILD.match(" ".join(part for part in words.replace("(", " ").replace(")", " ").replace('"', " ").split()))
    if found is None or not found.group("number").strip("0"):
        return None
    return f"{found.group('number')} ({found.group('commit')})"


def quantization(words: str) -> str | None:
    """The weight format as printed; `none` for 16- and 32-bit files."""
    name = words.strip().removesuffix("(guessed)").strip()
    if not name or name.lower().startswith("unknown"):
        return None
    return "none" if name.lower() in _UNQUANTIZED else name


def attention(words: str) -> str | None:
    """`flash` or `plain`; `auto` stays, because it decides nothing."""
    word = words.strip().lower()
    return {"1": "flash", "enabled": "flash", "on": "flash", "true": "flash"}.get(
        word, {"0": "plain", "disabled": "plain", "off": "plain", "false": "plain"}.get(word, "auto" if word == "auto" else None)
    )


def element(name: str) -> str:
    """An element type of the cache: 16- and 32-bit types by their general names, quantized ones as ggml calls them."""
    return _ELEMENTS.get(name, name)


def element_pair(key: str, value: str) -> str:
    """The element type of K and V together; where they differ, both by ggml's names."""
    return element(key) if key == value else f"k={key},v={value}"
