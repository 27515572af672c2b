"""The key of stable masks: from a file or an environment variable, never from the command line, which others can read.

Room: `cli`.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

LEAST, MOST = 16, 4096
"""Bytes of a key: a shorter one can be guessed."""
_META = "kvaudit.redact-key"


def remember(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Callback of the option: reads the key that it names. Raises `click.BadParameter`, which never holds what was given."""
    if value is not None:
        context.meta[_META] = _read(value)


def key_in_force() -> bytes | None:
    """The key of this call, None without the option."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_META) if context else None


def _read(named: str) -> bytes:
    path = Path(named)
    try:
        if path.is_file():
            with path.open("rb") as stream:
                return _checked(stream.read(MOST + 1))
    except (OSError, ValueError) as error:
        raise click.BadParameter("the file cannot be read") from error
    if named in os.environ:
        return _checked(os.environ[named].encode("utf-8", "surrogateescape"))
    raise click.BadParameter("neither a file nor an environment variable that is set; it never takes the key itself")


def _checked(content: bytes) -> bytes:
    key = content.strip()
    if not LEAST <= len(key) <= MOST:
        raise click.BadParameter(f"a key has {LEAST} to {MOST} bytes, this one has {'more' if len(key) > MOST else len(key)}")
    return key
