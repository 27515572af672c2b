"""Versions of the packages in the server's environment, from the names of their metadata folders. Nothing of it is run.

Room: `capture`. The environment is the one whose files the process has mapped into memory: a virtual environment's interpreter
links elsewhere, but the libraries it loads lie where they were installed.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from kvaudit.capture.process import PROC, read, words_of
from kvaudit.patterns import LatePattern

_MAPPED = LatePattern(r"(/[^\n]*?/(?:site|dist)-packages)/")
_METADATA = LatePattern(r"^(.+)-([0-9][^-]*)\.(?:dist|egg)-info$")
_ENGINES = {"vllm": "vllm", "sglang": "sglang", "tensorrt_llm": "tensorrt_llm", "lmdeploy": "lmdeploy"}
_MOST_FOLDERS = 4
_MOST_PACKAGES = 2_000


def package_folders(pid: int) -> list[Path]:
    """The package folders that a process uses, the most used first."""
    mapped = Counter(_MAPPED.findall(read(PROC / str(pid) / "maps").decode("utf-8", "replace")))
    found = [Path(folder) for folder, _ in mapped.most_common(_MOST_FOLDERS)]
    for word in words_of(pid)[:2]:
        program = Path(word)
        if program.is_absolute() and program.parent.name == "bin":
            found += sorted(program.parent.parent.glob("lib/python3*/site-packages"))[:1]
    return list(dict.fromkeys(found))[:_MOST_FOLDERS]


def versions(folders: list[Path]) -> dict[str, str]:
    """Version by package name; of two environments the first speaks."""
    found: dict[str, str] = {}
    for folder in folders:
        try:
            names = sorted(entry.name for entry in folder.iterdir())
        except OSError:
            continue
        for name in names:
            if (match := _METADATA.search(name)) and len(found) < _MOST_PACKAGES:
                found.setdefault(match.group(1).lower().replace("_", "-"), match.group(2))
    return dict(sorted(found.items()))


def engine_version(engine: str, installed: dict[str, str]) -> str | None:
    """The version of the engine's own package, None where it is not installed as one."""
    name = _ENGINES.get(engine, "").replace("_", "-")
    return installed.get(name) if name else None
