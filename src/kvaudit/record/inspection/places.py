"""Which checkpoints an argument holds: a file, a folder with one model, a tree of many, an address on the Hub.

Room: `record`, inspection. Files are told by their content; a name only chooses which of several configurations is the model's
own. Links that leave the folder (or the repository in the Hub cache) are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.keys import upper_keys
from kvaudit.parsers.checkpoint.recognition import kind_by_keys
from kvaudit.patterns import LatePattern
from kvaudit.sources.hub_cache import identity_of
from kvaudit.sources.hub_prefix import is_hub_address
from kvaudit.sources.source import HEAD_BYTES
from kvaudit.sources.weights import form_of

DEPTH = 6
_MOST_FOLDERS = 20_000
_MOST_FILES = 2_000
_NEVER = frozenset({"blobs", ".no_exist", "refs", ".locks", ".git", "__pycache__", "node_modules"})
_MAIN = "config.json"
_BESIDE = ("hf_quant_config.json", "quant_cfg.json", "quantize_config.json", "quant_config.json")
_SUFFIXES = (".json", ".safetensors", ".gguf")
_LATER_PART = LatePattern(r"-\d{5}-of-\d{5}\.gguf$")


@dataclass(slots=True)
class Place:
    """One checkpoint: the evidence to read, how it is called, and where it comes from.

    `folder_seen` is false where a single file was given and nobody looked around it.
    """

    label: str
    paths: list[str]
    repository: str | None = None
    revision: str | None = None
    folder_seen: bool = True
    unread: list[str] = field(default_factory=list)
    """Files of the checkpoint that were not read: beside a given one, or links that leave the folder."""


def places(argument: str) -> list[Place]:
    """The checkpoints of one argument. Raises `InputError` for a folder without any."""
    if is_hub_address(argument):
        return [Place(argument, [argument])]
    path = Path(argument)
    if not path.is_dir():
        return [_single(path, argument)]
    found = [place for folder in _folders(path) for place in _in_folder(folder, _shown(path, folder, argument), path)]
    if not found:
        raise InputError(argument, "no checkpoint in it: no config.json, quantization file, index, safetensors or GGUF file")
    return found


def _single(path: Path, argument: str) -> Place:
    names = [name for name in (_MAIN, *_BESIDE) if name != path.name and (path.parent / name).is_file()]
    place = Place(argument, [argument], folder_seen=False, unread=names if path.suffix == ".json" else [])
    return _identified(place, path.parent)


def _shown(root: Path, folder: Path, argument: str) -> str:
    inner = folder.relative_to(root).as_posix()
    base = argument.rstrip("/") or "/"
    return base if inner == "." else f"{base}/{inner}"


def _folders(root: Path) -> Iterator[Path]:
    """The folder and those below it, links not followed, in alphabetical order."""
    pending, seen = [(root, 0)], 0
    while pending and seen < _MOST_FOLDERS:
        folder, depth = pending.pop()
        seen += 1
        yield folder
        if depth >= DEPTH:
            continue
        try:
            below = sorted(one for one in folder.iterdir() if one.is_dir() and not one.is_symlink() and one.name not in _NEVER)
        except OSError:
            continue
        pending += [(one, depth + 1) for one in reversed(below)]


def _in_folder(folder: Path, shown: str, root: Path) -> list[Place]:
    """The checkpoints whose files lie directly in a folder."""
    kinds, refused = _kinds(folder, root)
    configs = kinds.get("config", [])
    main = next((name for name in configs if name == _MAIN), configs[0] if len(configs) == 1 else None)
    speaking = [name for kind in ("quantization", "index", "safetensors") for name in kinds.get(kind, [])]
    found = []
    if main or (speaking and not configs):
        names = [*([main] if main else []), *speaking, *kinds.get("generation", [])]
        found.append(Place(shown, [f"{shown}/{name}" for name in names], unread=refused))
    others = [*(one for one in configs if one != main), *kinds.get("gguf", [])]
    found += [Place(f"{shown}/{name}", [f"{shown}/{name}"]) for name in others]
    return [_identified(place, folder) for place in found]


def _identified(place: Place, folder: Path) -> Place:
    if (identity := identity_of(folder)) is not None:
        place.repository, place.revision = identity
    return place


def _kinds(folder: Path, root: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Names of the files of a folder by what they are, and those of links that are not followed."""
    found: dict[str, list[str]] = {}
    refused: list[str] = []
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file())[:_MOST_FILES]
    except OSError:
        return {}, []
    home = folder.parent.parent if identity_of(folder) else root
    for path in paths:
        if path.is_symlink() and not path.resolve().is_relative_to(home.resolve()):
            refused += [path.name] if path.suffix in _SUFFIXES else []
        elif (kind := _kind(path)) is not None:
            found.setdefault(kind, []).append(path.name)
    return found, refused


def _kind(path: Path) -> str | None:
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
    except OSError:
        return None
    if (form := form_of(head)) is not None:
        later = _LATER_PART.search(path.name) and "-00001-of-" not in path.name
        return None if form == "gguf" and later else form
    text = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if not text.startswith("{"):
        return None
    return kind_by_keys(upper_keys(text)) or ("config" if path.name == _MAIN else None)
