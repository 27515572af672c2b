"""Text of logs inside Markdown, so that it is shown and never obeyed.

Room: `reports`, plain strings only. Rules: CommonMark 0.31 and GitHub's additions (tables, bare links, mentions), which look at
text after backslashes are gone; an empty comment between two characters keeps those apart.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern

_SPECIAL = frozenset("\\`*_[]<>#|~&$")
_START = LatePattern(r"^(\d{0,9})([.)+=-])")
_LINK = LatePattern(r"(?i)(https?|ftp|mailto|xmpp)(:)|(www)(\.)")
_MENTION = LatePattern(r"(@)([A-Za-z0-9])")
_TICKS = LatePattern(r"`+")


def prose(text: str) -> str:
    """A text of one line in which nothing is markup, a link or a mention."""
    plain = " ".join(text.split())
    escaped = "".join(_escaped(plain, index) for index in range(len(plain)))
    escaped = str(_START.sub(r"\1\\\2", escaped))
    escaped = str(_LINK.sub(r"\1\3<!-- -->\2\4", escaped))
    return str(_MENTION.sub(r"\1<!-- -->\2", escaped))


def _escaped(text: str, index: int) -> str:
    """A character, behind a backslash where it could be markup; an underscore inside a word never is."""
    letter = text[index]
    if letter not in _SPECIAL:
        return letter
    inside = letter == "_" and text[index - 1 : index].isalnum() and text[index + 1 : index + 2].isalnum()
    return letter if inside else f"\\{letter}"


def code(text: str, in_table: bool = False) -> str:
    """A text of one line as a code span; its fence is longer than any run of backticks in it."""
    text = " ".join(text.split()) or " "
    fence = "`" * (max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    shown = text.replace("|", "\\|") if in_table else text
    return f"{fence}{pad}{shown}{pad}{fence}"
