"""Rules, engine tables and the hints of log parsers as one file of JSON, which a short run reads instead of two hundred files.

Room: far left of the pipeline, next to `bundled`. The YAML files and the parsers are the source: `make generate` makes
`rules/compiled.json` from them, with their digests, and it is passed over where they are not those that it was made from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from kvaudit.bundled import rules_folder

NAME = "compiled.json"


@cache
def compiled() -> dict[str, Any] | None:
    """What the file holds, None where it is stale.

    `rules` by path below the rules folder, without examples; `engines`, tables by name; `hints`, with a digest of their own.
    """
    folder = rules_folder()
    try:
        held = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return held if isinstance(held, dict) and held.get("digest") == digest(folder) else None
    except (OSError, ValueError):
        return None


def digest(folder: Path) -> str:
    """The digest of the YAML files below a folder: rule files and engine tables."""
    return digest_of(sorted(folder.glob("*/*.yaml")))


def digest_of(files: Iterable[Path]) -> str:
    """SHA-256 over the names and bytes of files."""
    total = hashlib.sha256()
    for path in files:
        total.update(f"{path.parent.name}/{path.name}\n".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
