"""The values of small scale tensors: whether every element is exactly 1.0.

Room: checkpoint parsers. Bytes in, yes, no or unknown out; no other use is made of a value.
"""

from __future__ import annotations

SCALE_BYTES = 4096
"""Largest scale tensor read: one scale for each of a thousand heads in 32 bits."""

_ONE: dict[str, bytes] = {
    "F64": b"\x00\x00\x00\x00\x00\x00\xf0\x3f",
    "F32": b"\x00\x00\x80\x3f",
    "F16": b"\x00\x3c",
    "BF16": b"\x80\x3f",
    "F8_E4M3": b"\x38",
    "F8_E5M2": b"\x3c",
    "F8_E8M0": b"\x7f",
}
"""1.0 in each element type, little endian."""


def all_ones(data: bytes, dtype: str) -> bool | None:
    """Whether `data` holds nothing but 1.0 in elements of `dtype`; None for other types, and for no element at all."""
    one = _ONE.get(dtype)
    if one is None or not data or len(data) % len(one):
        return None
    return data == one * (len(data) // len(one))
