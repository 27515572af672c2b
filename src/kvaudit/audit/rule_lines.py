"""On which line of a rule file a part of the document stands, so that an error can name it.

Room: `audit`. YAML is composed into nodes, never built into objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any


def line_of(path: Path, place: Iterable[str | int]) -> int | None:
    """The 1-based line of the value at a place such as `("when", "all", 0)`, or of the nearest part around it."""
    import yaml

    try:
        node: Any = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return None
    line = None
    for part in [None, *place]:
        if part is not None:
            node = _below(node, part)
        if node is None:
            break
        line = node.start_mark.line + 1
    return line


def _below(node: Any, part: str | int) -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part]
    return None
