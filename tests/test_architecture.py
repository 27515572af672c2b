"""Data flows one way: a module imports only from its left."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import ROOT

ORDER = [
    "errors",
    "fields",
    "bundled",
    "shapes",
    "patterns",
    "compiled",
    "compiled",
    "redaction",
    "sources",
    "parsers",
    "record",
    "results",
    "audit",
    "reports",
    "capture",
    "cli",
]
EVERYWHERE = {"errors", "fields", "bundled", "shapes", "patterns", "compiled", "__init__"}
PACKAGE = ROOT / "src" / "kvaudit"


def _room(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module == "kvaudit":
            names = [f"kvaudit.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("kvaudit.")}
    return found


def test_no_module_imports_from_its_right() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        room = _room(path)
        if room in ("__main__", "__init__"):
            continue
        imported = _imports(path) - {"__version__"}
        right = {name for name in imported if name not in ORDER or ORDER.index(name) > ORDER.index(room)}
        wrong += [f"{path.relative_to(PACKAGE)} imports {name}" for name in right]
    assert wrong == []


def test_every_room_is_in_the_order() -> None:
    rooms = {_room(path) for path in PACKAGE.rglob("*.py")} - {"__main__", "__init__"}
    assert rooms <= set(ORDER)


def test_every_module_says_which_room_it_is() -> None:
    silent = [str(path) for path in PACKAGE.rglob("*.py") if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))]
    assert silent == []
