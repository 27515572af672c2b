"""Addresses on the Hub, and what may be read of a repository.

Room: `sources`. Shapes and names only; nothing is fetched or opened here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.patterns import LatePattern
from kvaudit.sources.hub_prefix import PREFIX
from kvaudit.sources.source import Source

DOCUMENTS = (
    "config.json",
    "hf_quant_config.json",
    "quant_cfg.json",
    "quantize_config.json",
    "quant_config.json",
    "generation_config.json",
    "model.safetensors.index.json",
)
"""Every JSON file that is fetched."""

WEIGHTS = (".safetensors", ".gguf")

_LATER_PART = LatePattern(r"-\d{5}-of-\d{5}\.gguf$")
_SOME_NAMES = 3
_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_ADDRESS = LatePattern(rf"^hf://({_PART}/{_PART}|{_PART})(?:@([A-Za-z0-9][A-Za-z0-9._/-]{{0,199}}?))?(?:/({_PART}\.gguf))?$")


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address. `revision` is a branch, a tag or a commit; None is what the Hub calls main."""

    written: str
    repository: str
    revision: str | None
    file: str | None

    def shown(self, commit: str, name: str) -> str:
        """How a file of the repository is called in reports: always with the commit."""
        return f"{PREFIX}{self.repository}@{commit}/{name}"


@dataclass(slots=True)
class Snapshot:
    """The files of one commit that may be read: documents as local files, weights as sources that are read by ranges."""

    commit: str
    documents: dict[str, Path] = field(default_factory=dict)
    weights: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse(argument: str) -> Address:
    """The parts of an address. Raises `InputError` where it is none."""
    found = _ADDRESS.match(argument)
    if found is None or ".." in argument:
        raise InputError(argument, "no address on the Hub; write hf://ORGANISATION/NAME[@REVISION], or with /FILE.gguf after it")
    repository, revision, file = found.groups()
    return Address(argument, repository, revision, file)


def is_wanted(address: Address, name: str) -> bool:
    """Whether a file at the top of the repository is one that is read."""
    if address.file is not None:
        return name == address.file
    return name in DOCUMENTS or name.endswith(WEIGHTS)


def refuse_choice(address: Address, names: Iterable[str]) -> None:
    """Several GGUF files are several models. Raises `InputError` that names some of them."""
    first = [name for name in names if name.endswith(".gguf") and not _is_later_part(name)]
    if len(first) > 1 and address.file is None:
        some = ", ".join(first[:_SOME_NAMES])
        raise InputError(address.written, f"holds {len(first)} GGUF files; name one after a slash: {some}")


def _is_later_part(name: str) -> bool:
    return _LATER_PART.search(name) is not None and "-00001-of-" not in name
