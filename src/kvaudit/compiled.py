"""The bundled rule files and engine tables as one JSON file, so that a short run need not read a hundred YAML files.

Room: far left of the pipeline, next to `bundled`. The YAML files are the source: `rules/compiled.json` is made from them by
`make generate`, holds their digest, and is passed over where the files are not those that it was made from.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from kvaudit.bundled import rules_folder

NAME = "compiled.json"


@cache
def compiled() -> dict[str, Any] | None:
    """`rules` (by path below the rules folder, without their examples) and `engines` (tables by name); None where it is stale."""
    folder = rules_folder()
    try:
        held = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return held if isinstance(held, dict) and held.get("digest") == digest(folder) else None
    except (OSError, ValueError):
        return None


def digest(folder: Path) -> str:
    """SHA-256 over the names and bytes of the YAML files below a folder."""
    total = hashlib.sha256()
    for path in yaml_files(folder):
        total.update(f"{path.parent.name}/{path.name}\n".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def yaml_files(folder: Path) -> list[Path]:
    """Rule files and engine tables, by category and name."""
    return sorted(folder.glob("*/*.yaml"))
