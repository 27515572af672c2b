"""Lines that a collector put into JSON: one object a line (Docker, pods, cloud logs), or the strings of a cut array.

Room: text in, text out. What is no such object comes back as it is, the very same string.
"""

from __future__ import annotations

import json
from typing import Any

_KEYS = ("log", "message", "msg", "textPayload", "MESSAGE", "line")
"""Keys under which collectors keep the text of a line."""


def unwrapped(text: str) -> str:
    """The text of a line inside its JSON object or JSON string, else the line itself."""
    inner = text.strip().removesuffix(",")
    if not inner.startswith(("{", '"')) or not inner.endswith(("}", '"')):
        return text
    try:
        document: Any = json.loads(inner)
    except (ValueError, RecursionError):
        return text
    if isinstance(document, dict):
        document = next((document[key] for key in _KEYS if isinstance(document.get(key), str)), None)
    return document.rstrip("\n") if isinstance(document, str) else text
