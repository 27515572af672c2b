"""A word of a command, and what its variables become.

Room: `parsers.launch_command`, shapes only. A word keeps its pieces, so that a variable in single quotes is never expanded and
one that nothing sets is never guessed: its default belongs to an environment that nobody saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word as written; `name` is the variable's name, empty for plain text."""

    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """One word. `line` is 1-based in the file, `position` is where it begins in that line.

    `quoted` says that a part stood in quotes: an unset variable then leaves an empty argument instead of none. `because` names
    the variable that an expanded word got its text from. `pointer` is set inside JSON and YAML.
    """

    pieces: tuple[Piece, ...]
    line: int
    position: int = 0
    quoted: bool = False
    because: str = ""
    pointer: str | None = None

    @property
    def text(self) -> str:
        """The word without quotes, variables as written."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables that are still open."""
        return tuple(piece.name for piece in self.pieces if piece.name)

    @property
    def is_known(self) -> bool:
        """Whether the text holds no open variable."""
        return not any(piece.name for piece in self.pieces)

    @property
    def is_only_variable(self) -> bool:
        """Whether the word is nothing but one open variable."""
        return len(self.pieces) == 1 and bool(self.pieces[0].name)


def plain(text: str, line: int = 1, position: int = 0, *, quoted: bool = False, pointer: str | None = None) -> Word:
    """A word without variables."""
    return Word((Piece(text),), line, position, quoted, pointer=pointer)


def expanded(word: Word, environment: Mapping[str, str]) -> Word:
    """The word with every variable that the document itself sets replaced."""
    names = [name for name in word.variables if name in environment]
    if not names:
        return word
    pieces = tuple(Piece(environment[piece.name]) if piece.name in environment else piece for piece in word.pieces)
    return replace(word, pieces=pieces, because=names[0])
