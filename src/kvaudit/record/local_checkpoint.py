"""The checkpoint that a log names, if it is on this machine: an existing folder, or the local Hub cache.

Room: `record`. Nothing is ever fetched because evidence names it. A relative path is looked up beside the log, never in the
working directory.
"""

from __future__ import annotations

import os
from pathlib import Path

from kvaudit.patterns import LatePattern

_INDEX = "model.safetensors.index.json"
WANTED = ("config.json", "hf_quant_config.json", "generation_config.json", _INDEX)

_SCALE = LatePattern(rb"[kv]_scale\"|[kv]_proj\.output_scale\"|kv_scale\"|[kv]_cache\.scale\"")
_INDEX_BYTES = 1 << 25
_MOST_WEIGHTS = 512
_REPOSITORY = LatePattern(r"^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$")
_COMMIT = LatePattern(r"^[0-9a-f]{40}$")


def find_checkpoint(model: str, revision: str | None, log_folder: str | None) -> list[Path]:
    """Files of the checkpoint `model` (path or repository id), empty when it is not here.

    A repository is taken from the cache only at the logged commit: a branch that moved since proves nothing.
    """
    path = Path(model)
    if path.is_absolute():
        return _files(path)
    if log_folder and (beside := _files(Path(log_folder) / path)):
        return beside
    if revision and _COMMIT.match(revision) and _REPOSITORY.match(model):
        return _with_weights(_cached(model, revision))
    return []


def _files(path: Path) -> list[Path]:
    try:
        if path.suffix == ".gguf" and path.is_file():
            return [path]
        return _with_weights([path / name for name in WANTED if (path / name).is_file()])
    except OSError:
        return []


def _with_weights(documents: list[Path]) -> list[Path]:
    """The documents, and the weights whose headers tell of KV scales: a single file, or those of an index that lists some."""
    index = next((path for path in documents if path.name == _INDEX), None)
    folder = documents[0].parent if documents else None
    try:
        if folder is None or (index is not None and not _SCALE.search(index.read_bytes()[:_INDEX_BYTES])):
            return documents
        return [*documents, *sorted(folder.glob("*.safetensors"))[:_MOST_WEIGHTS]]
    except OSError:
        return documents


def _hub_cache() -> Path:
    """Where huggingface_hub keeps its cache; looked at first, because importing the library costs more than the check."""
    home = os.environ.get("HF_HOME") or f"{os.environ.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or f"{home}/hub"
    return Path(os.path.expandvars(named)).expanduser()


def _cached(repository: str, revision: str) -> list[Path]:
    if not (_hub_cache() / f"models--{repository.replace('/', '--')}").is_dir():
        return []
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = [try_to_load_from_cache(repository, name, cache_dir=_hub_cache(), revision=revision) for name in WANTED]
    except (HFValidationError, OSError):
        return []
    return [Path(path) for path in found if isinstance(path, str)]
