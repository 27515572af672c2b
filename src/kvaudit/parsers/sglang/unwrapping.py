"""Lines that a collector put into JSON, one object a line: Docker's json-file, pod and cloud logs.

Room: text in, text out. What is no such object comes back as it is, the very same string.
"""

from __future__ import annotations

import json
from typing import Any

_KEYS = ("log", "message", "msg", "textPayload", "MESSAGE", "line")
"""Keys under which collectors keep the text of a line."""


def unwrapped(text: str) -> str:
    """The text of a line inside its JSON object, else the line itself."""
    if not text.startswith("{"):
        return text
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if not isinstance(document, dict):
        return text
    found = next((document[key] for key in _KEYS if isinstance(document.get(key), str)), None)
    return text if found is None else found.rstrip("\n")
