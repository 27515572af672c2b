"""The run folder while it is being written: beside its final place, renamed when it is whole, gone when anything fails.

Room: `capture`. Names and bytes only. A reader never sees half a folder, and a manifest only ever lies in a whole one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from kvaudit.errors import InputError, UsageError
from kvaudit.redaction import Redactor

MANIFEST = "manifest.json"


class RunFolder:
    """Files of one capture. `entries` lists them as the manifest does: path, bytes, sha256, what they are, from where."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[dict[str, Any]] = []
        self.missing: list[dict[str, str]] = []

    def add(self, name: str, data: bytes, what: str, source: str, **more: Any) -> None:
        """Write one file. Raises `OSError`, which ends the capture."""
        with self.stream(name, what, source, more) as stream:
            stream.write(data)

    @contextmanager
    def stream(self, name: str, what: str, source: str, more: dict[str, Any] | None = None) -> Iterator[BinaryIO]:
        """A file to be written in portions; it is listed when it is closed. `more` may still grow until then."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as stream:
            yield stream
        with target.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        size = target.stat().st_size
        self.entries.append({"path": name, "what": what, "from": source, "bytes": size, "sha256": digest, **(more or {})})

    def miss(self, what: str, why: str, remedy: str = "") -> None:
        """Note a piece that could not be had, and how to have it next time."""
        entry = {"what": what, "why": why, "remedy": remedy}
        if entry not in self.missing:
            self.missing.append(entry)

    def finish(self, manifest: dict[str, Any]) -> None:
        """Write the manifest, last of all files."""
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (self.path / MANIFEST).write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Writing:
    """Where copies go: the folder, what masks them, and the suffix of this moment's files (`-before`, `-after`, none)."""

    folder: RunFolder
    redactor: Redactor
    suffix: str = ""


@contextmanager
def run_folder(output: str) -> Iterator[RunFolder]:
    """A folder that becomes `output` when the block ends well, and leaves nothing behind otherwise.

    Raises `UsageError` where `output` cannot be made, `InputError` where the disk does not take what is written.
    """
    final = Path(output)
    _refuse_used(final)
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{final.name}.partial-", dir=final.parent))
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from error
    try:
        yield RunFolder(partial)
        partial.chmod(0o777 & ~_umask())
        partial.rename(final)
    except OSError as error:
        raise InputError(output, f"the run folder could not be written: {error.strerror or error}; nothing was kept") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _refuse_used(final: Path) -> None:
    """A run folder is never written over: it is evidence."""
    try:
        used = final.exists() and (not final.is_dir() or any(final.iterdir()))
    except OSError as error:
        raise UsageError(f"cannot write {final}: {error.strerror or error}") from error
    if used:
        raise UsageError(f"{final} is there already and is not written over; name another folder")
    if not final.name:
        raise UsageError(f"--output {final}: name a folder")


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
