"""What the name of a setting says about its value: that it is a secret, that it may be one, whose it is.

Room: `redaction`. Documents hold the same few names over and over, so each is looked at once.
"""

from __future__ import annotations

from functools import lru_cache

from kvaudit.patterns import LatePattern
from kvaudit.redaction.patterns import OWNER_NAME, SECRET_ENV, SECRET_NAME, SOFT_NAME

_MOST = 8192

_SECRET = LatePattern(rf"^(?:(?i:-*{SECRET_NAME})|{SECRET_ENV})$")
_SOFT = LatePattern(rf"^(?i:-*{SOFT_NAME})$")
_OWNER = LatePattern(rf"^(?i:-*{OWNER_NAME})$")


@lru_cache(_MOST)
def means_secret(name: str) -> bool:
    """Whether the value of this key, variable or flag is a secret."""
    return _SECRET.match(name) is not None


@lru_cache(_MOST)
def may_mean_secret(name: str) -> bool:
    """Whether the value of this key is a secret where it looks like one."""
    return _SOFT.match(name) is not None


@lru_cache(_MOST)
def means_owner(name: str) -> bool:
    """Whether the value of this key says where or whose."""
    return _OWNER.match(name) is not None
