"""Finds the quantization block of a checkpoint file and names its method, as an engine would.

Room: checkpoint parsers. Where blocks stand and who reads them: vLLM 0.33 `_normalize_quantization_config`, SGLang 0.5.23.
What a block says of KV is read in `kv_scheme`, of weights in `weight_format`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.checkpoint.shape import Decoder
from kvaudit.parsers.checkpoint.values import as_object, short, word

_DEEPEST_BLOCK = 3
_MOST_PARTS = 200
BLOCK_KEYS = ("quantization_config", "compression_config")


@dataclass(frozen=True, slots=True)
class Block:
    """A quantization block: `path` leads to it in its document, `outer` is the object around ModelOpt's inner block.

    `nested` means that it stands only inside the decoder's configuration, where not every engine looks for KV.
    """

    body: dict[str, Any]
    path: tuple[str, ...]
    outer: dict[str, Any]
    outer_path: tuple[str, ...]
    nested: bool = False

    def get(self, key: str) -> Any:
        """The value of a key of the block, or of the object around it."""
        value = self.body.get(key)
        return self.outer.get(key) if value is None else value

    def pointer(self, key: str) -> str:
        """The pointer of a key, in the block or around it; the block itself when it holds no such key."""
        if key in self.body:
            return pointer_of(*self.path, key)
        if key in self.outer:
            return pointer_of(*self.outer_path, key)
        return pointer_of(*self.path)

    @property
    def method(self) -> str:
        """The method as engines name it, lower case; empty when the block does not name one."""
        stated = word(self.get("quant_method"))
        if stated:
            return stated.lower().replace("compressed_tensors", "compressed-tensors")
        if self.producer == "modelopt":
            return "modelopt"
        if self.get("load_in_4bit") or self.get("load_in_8bit"):
            return "bitsandbytes"
        return "compressed-tensors" if self.path[-1:] == ("compression_config",) and "config_groups" in self.body else ""

    @property
    def method_from(self) -> str:
        """What names the method: the key `quant_method`, ModelOpt's own form, or (in a flat block) its producer alone."""
        if word(self.get("quant_method")):
            return "quant_method"
        return "quantization" if self.path[-1:] == ("quantization",) else "producer" if self.producer else "keys"

    @property
    def method_pointer(self) -> str:
        """The key that names the method."""
        return self.pointer("quant_method") if word(self.get("quant_method")) else self.pointer("producer")

    @property
    def producer(self) -> str:
        """The name of the tool that wrote the block, empty when it does not say."""
        return (word(as_object(self.get("producer")).get("name")) or "").lower()

    @property
    def producer_version(self) -> str:
        """The version of that tool, empty when it does not say."""
        version = as_object(self.get("producer")).get("version")
        return version[:80] if isinstance(version, str) else ""

    @property
    def algorithm(self) -> str | None:
        """ModelOpt's `quant_algo` as it stands, None when missing or null."""
        value = self.get("quant_algo")
        return None if value is None else word(value) or short(value, 40)


def block_of_config(decoder: Decoder) -> Block | None:
    """The block of a config.json: at the top, else inside the decoder's configuration. An empty block says nothing."""
    for key in BLOCK_KEYS:
        if body := as_object(decoder.root.get(key)):
            return _unfolded(body, (key,), nested=False)
    for key in BLOCK_KEYS:
        if decoder.path and (body := as_object(decoder.text.get(key))):
            return _unfolded(body, (*decoder.path, key), nested=True)
    return None


def all_blocks(root: dict[str, Any]) -> list[Block]:
    """Every block of a config.json, wherever it stands: at the top, in the decoder's part, in that of a tower or a drafter."""
    found: list[Block] = []
    level: list[tuple[tuple[str, ...], dict[str, Any]]] = [((), root)]
    for _ in range(_DEEPEST_BLOCK):
        below = []
        for path, part in level:
            bodies = ((key, as_object(part.get(key))) for key in BLOCK_KEYS)
            found += [_unfolded(body, (*path, key), nested=bool(path)) for key, body in bodies if body]
            inner = ((key, as_object(value)) for key, value in part.items() if key not in BLOCK_KEYS)
            below += [((*path, key), value) for key, value in inner if value]
        level = below[:_MOST_PARTS]
    return found


def block_of_file(document: dict[str, Any]) -> Block:
    """The block of a quantization file of its own: hf_quant_config.json, quant_cfg.json, quantize_config.json."""
    return _unfolded(document, (), nested=False)


def _unfolded(body: dict[str, Any], path: tuple[str, ...], *, nested: bool) -> Block:
    """ModelOpt puts the block into `quantization`, beside `producer`; some config.json hold that form whole."""
    inner = as_object(body.get("quantization"))
    if inner:
        return Block(inner, (*path, "quantization"), body, path, nested)
    return Block(body, path, {}, path, nested)
