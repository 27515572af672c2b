"""How an argument names a repository on the Hub.

Room: `sources`. Every argument is asked; what parses and reads addresses is loaded for one.
"""

from __future__ import annotations

PREFIX = "hf://"


def is_hub_address(argument: str) -> bool:
    """Whether an argument means the Hub."""
    return argument.startswith(PREFIX)
