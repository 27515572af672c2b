"""A checkpoint in the local Hub cache, as huggingface_hub lays it out.

Room: `sources`. Layout: `models--org--name/refs/BRANCH` holds a commit, `snapshots/COMMIT` its files as links into `blobs`,
`.no_exist/COMMIT` empty files for those known to be absent.
"""

from __future__ import annotations

from pathlib import Path

from kvaudit.errors import InputError
from kvaudit.patterns import LatePattern
from kvaudit.redaction import Redactor
from kvaudit.sources.hub_address import DOCUMENTS, WEIGHTS, Address, Snapshot, is_wanted, refuse_choice
from kvaudit.sources.weights import weights_source

_COMMIT = LatePattern(r"^[0-9a-f]{40}$")
_SOME = 3
_FOLDER = LatePattern(r"^models--([^/]+)$")


def cached(address: Address, redactor: Redactor, why: str) -> Snapshot:
    """The snapshot in the cache. Raises `InputError` where it is not there; `why` says why the cache has to speak."""
    root = cache_folder() / f"models--{address.repository.replace('/', '--')}"
    commit = _commit(root, address, why)
    folder = root / "snapshots" / commit
    found = Snapshot(commit, notes=[f"from the local Hub cache; {why}", *_absent(root, commit)])
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and is_wanted(address, path.name)]
    refuse_choice(address, [path.name for path in paths])
    for path in paths:
        if _inside(path, root):
            _add(found, path, address.shown(commit, path.name), redactor)
    return found


def cache_folder() -> Path:
    """Where huggingface_hub keeps its cache."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def identity_of(folder: Path) -> tuple[str, str] | None:
    """Repository and commit of a snapshot folder of the cache, None for any other folder."""
    parts = folder.absolute().parts
    if len(parts) < 3 or parts[-2] != "snapshots" or not (found := _FOLDER.match(parts[-3])):
        return None
    return str(found.group(1)).replace("--", "/", 1), parts[-1]


def _add(found: Snapshot, path: Path, shown: str, redactor: Redactor) -> None:
    if path.name in DOCUMENTS:
        found.documents[path.name] = path
    elif path.name.endswith(WEIGHTS) and (source := weights_source(path, shown, redactor)):
        found.weights.append(source)


def _commit(root: Path, address: Address, why: str) -> str:
    """The commit of a snapshot that is here: the one asked for, the one `refs` names, or the only one."""
    present = _snapshots(root)
    named = _of_reference(root, address.revision or "main")
    if named in present:
        return str(named)
    if address.revision is None and named is None and len(present) == 1:
        return present[0]
    wanted = f" at revision {address.revision}" if address.revision else ""
    others = f" (it holds {', '.join(commit[:12] for commit in present[:_SOME])})" if present else ""
    raise InputError(address.written, f"not in the local Hub cache{wanted}{others}, and {why}")


def _snapshots(root: Path) -> list[str]:
    try:
        return sorted(path.name for path in (root / "snapshots").iterdir() if path.is_dir() and _COMMIT.match(path.name))
    except OSError:
        return []


def _of_reference(root: Path, revision: str) -> str | None:
    """The commit a revision means here: itself, or what the file of that name in `refs` holds."""
    if _COMMIT.match(revision):
        return revision
    try:
        written = (root / "refs" / revision).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return written if _COMMIT.match(written) else None


def _absent(root: Path, commit: str) -> list[str]:
    folder = root / ".no_exist" / commit
    names = [name for name in DOCUMENTS if (folder / name).is_file()]
    return [f"known not to be in the repository: {', '.join(names)}"] if names else []


def _inside(path: Path, root: Path) -> bool:
    """Links of a snapshot lead into `blobs` of the same repository; any other is not followed."""
    return path.resolve().is_relative_to(root.resolve())
