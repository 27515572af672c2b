"""Whether a text that stands where secrets stand is one.

Room: `redaction`, plain strings only. A guard is asked about a value without its quotes; a mask of an earlier pass is none.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

MASK = "<secret-"
"""How every mask begins."""

Guard = Callable[[str], bool]

_LEAST_RANDOM = 16
_UNSET = frozenset(
    {"none", "null", "true", "false", "***", "", "[]", "{}", "0", "auto", "bearer", "basic", "\\", "|", "|-", ">", ">-"}
)
_PROSE = (
    " a an and are as auth authentication authorization be by can configuration could file for found from given has have header "
    "helper if in is it may missing mode must needed no not of on only or path provided recommended required set settings should "
    "specified that the this to unset using value was were will with variable "
)
"""In sentences about a secret, such as "HF_TOKEN is not set", these words are none."""
_PUBLIC = frozenset({"github.com", "huggingface.co", "docs.vllm.ai", "docs.sglang.ai", "docs.sglang.io", "pytorch.org"})
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


def is_set(value: str) -> bool:
    """Something stands there, and it is not the mask of an earlier pass."""
    return value.lower() not in _UNSET and not value.startswith(MASK)


def is_value(value: str) -> bool:
    """A value, not a word of a sentence about it and not the next flag."""
    prose = f" {value.lower().rstrip('.:!?')} " in _PROSE
    return is_set(value) and not prose and not value.startswith(("--", "=", ":"))


def is_private(value: str) -> bool:
    """Not a public page that texts refer to, and not a route of the server."""
    return is_set(value) and value not in _PUBLIC and not value.startswith(("/v1/", "/v2/"))


def is_random(value: str) -> bool:
    """What generated credentials look like: long, letters and digits, both cases where it holds dashes."""
    if len(value) < _LEAST_RANDOM or not value.replace("_", "").replace("-", "").isalnum() or not value.isascii():
        return False
    classes = any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value))
    return all(classes) if "_" in value or "-" in value else classes[0] and (classes[1] or classes[2])


def is_dense(value: str) -> bool:
    """A line of nothing but base64, as keys and certificates are written: digits and both cases."""
    return any(map(str.isdigit, value)) and any(map(str.islower, value)) and any(map(str.isupper, value))


def is_packed_login(value: str) -> bool:
    """`user:password` in base64, as registries keep it in their settings."""
    if not is_set(value) or not _BASE64.issuperset(value):
        return False
    try:
        return b":" in base64.b64decode(value.rstrip("=") + "==", validate=False)
    except (binascii.Error, ValueError):
        return False


def is_login(value: str) -> bool:
    """`user:password`, not `1000:1000` (the user and group of a container), not a host with its port, not an address."""
    user, _, password = value.partition(":")
    return bool(user) and is_set(password) and not password.isdigit() and not password.startswith("//")
