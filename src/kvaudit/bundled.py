"""Where the data folders of the project are: beside the installed package, or in the checkout.

Room: far left of the pipeline. It finds folders and reads nothing.
"""

from __future__ import annotations

from pathlib import Path

from kvaudit.errors import KvauditError

_PACKAGE = Path(__file__).resolve().parent


def rules_folder() -> Path:
    """The folder of rule files and engine tables."""
    return _first(_PACKAGE / "rules", _PACKAGE.parent.parent / "rules")


def demo_folder() -> Path:
    """The folder of the evidence that `kvaudit demo` runs on."""
    return _first(_PACKAGE / "demo", _PACKAGE.parent.parent / "fixtures" / "demo")


def _first(*candidates: Path) -> Path:
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise KvauditError(f"the installation is incomplete: {candidates[0]} is missing")
