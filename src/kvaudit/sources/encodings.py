"""Text that is not UTF-8 on disk, turned into UTF-8 block by block before it is scanned.

Room: `sources`. UTF-16 from PowerShell, with and without a byte order mark; messages that `journalctl -o json` writes as
lists of byte numbers because they hold colours. Lines stay lines: numbers do not change.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from typing import Any

import re2

_BYTES = re2.Options()
_BYTES.encoding = re2.Options.Encoding.LATIN1
_BYTE_LIST = re2.compile(rb'"MESSAGE"\s*:\s*\[([\d,\s]+)\]', options=_BYTES)

Decoder = Callable[[bytes], bytes]
"""Takes the next raw block; an empty block asks for what is left at the end."""


def decoder_of(first: bytes) -> tuple[Decoder | None, list[str]]:
    """The transcoder that a document beginning with `first` needs, None for UTF-8, and a note about it."""
    encoding = ""
    pairs = first[:4096]
    if first.startswith(codecs.BOM_UTF16_LE) or _every_second_is_nul(pairs[1::2], pairs[0::2]):
        encoding = "utf-16-le"
    elif first.startswith(codecs.BOM_UTF16_BE) or _every_second_is_nul(pairs[0::2], pairs[1::2]):
        encoding = "utf-16-be"
    text = first.decode(encoding, "replace").encode() if encoding else first
    steps: list[Decoder] = [_Transcoder(encoding)] if encoding else []
    if b'"__' in text and _BYTE_LIST.search(text):
        steps.append(_ByteLists())
    if not steps:
        return None, []
    return _Chain(steps), [f"read as {encoding}"] if encoding else []


def _every_second_is_nul(nul: bytes, text: bytes) -> bool:
    return len(nul) >= 16 and nul.count(0) > 0.9 * len(nul) and text.count(0) < 0.1 * len(text)


class _Chain:
    """Steps one after the other. An empty block asks each of them for its rest in turn."""

    def __init__(self, steps: list[Decoder]) -> None:
        self._steps = steps

    def __call__(self, block: bytes) -> bytes:
        is_last = not block
        for step in self._steps:
            block = (step(block) if block else b"") + (step(b"") if is_last else b"")
        return block


class _Transcoder:
    def __init__(self, encoding: str) -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def __call__(self, block: bytes) -> bytes:
        return self._decoder.decode(block, final=not block).encode("utf-8", "replace")


class _ByteLists:
    """Journal messages as lists of byte numbers become JSON strings; only whole lines are handed on."""

    def __init__(self) -> None:
        self._rest = b""

    def __call__(self, block: bytes) -> bytes:
        data = self._rest + block
        cut = data.rfind(b"\n") + 1 if block else len(data)
        self._rest = data[cut:]
        return bytes(_BYTE_LIST.sub(_as_string, data[:cut]))


def _as_string(match: Any) -> bytes:
    numbers = [number.strip() for number in match.group(1).split(b",") if number.strip()]
    if any(not number.isdigit() or len(number) > 3 or int(number) > 255 for number in numbers):
        return bytes(match.group(0))
    text = bytes(map(int, numbers)).decode("utf-8", "replace")
    return b'"MESSAGE":' + json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")
