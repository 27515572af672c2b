"""Errors that reach the user: what was wrong, in which file, what was tried, what to do.

Room: far left of the pipeline. Every layer raises these; only `cli` turns them into an exit code.
"""

from __future__ import annotations

from collections.abc import Iterable


class KvauditError(Exception):
    """Base of every error that kvaudit raises on purpose."""


class UsageError(KvauditError):
    """The call cannot be carried out as written: an unknown field, rule, session or option value."""


class InputError(KvauditError):
    """A named piece of evidence cannot be used: missing, empty, binary, damaged, too large or not recognised."""

    def __init__(self, path: str, message: str, tried: list[str] | None = None) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message
        self.tried = tried or []


class InputErrors(KvauditError):  # noqa: N818 - the plural is the point
    """Several pieces of evidence of one call cannot be used; all of them are named at once."""

    def __init__(self, errors: list[InputError]) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors


class RuleError(KvauditError):
    """A rule file is not valid; names the file and, where known, the line."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean X or Y?` with the nearest of the known names, empty where none is near."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(close)}?" if close else ""
