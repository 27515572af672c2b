"""Shell text becomes simple commands of words, with the physical line of each word.

Room: `parsers.launch_command`. A reader for launch scripts, no shell: quotes, escapes, continuations, comments, redirections,
here-documents and variables are understood, nothing is expanded. An unquoted `{"…}` is taken as the JSON text that it was
before somebody joined an argument list with blanks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from kvaudit.parsers.launch_command.words import Piece, Word
from kvaudit.patterns import LatePattern

MOST_TEXT = 1 << 16
"""Longest text read; launch scripts have a few kilobytes."""

_VARIABLE = LatePattern(
    r"^\$(?:\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?!$-])(?P<rest>[^{}]*)\}|(?P<bare>[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?!$-]))"
)
_OPENERS = frozenset({"if", "for", "while", "until", "case", "select"})
_CLOSERS = frozenset({"fi", "done", "esac"})
_LEADERS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}"})
_MOST_TRIES = 64
"""How many openings without an end are followed up before the rest of the text is read letter by letter."""

_OPERATORS = ";|&()"


@dataclass(slots=True)
class Simple:
    """A simple command; `nested` inside a condition, loop or function, where it may run never or many times."""

    words: list[Word] = field(default_factory=list)
    nested: bool = False


def commands(text: str, line: int = 1, position: int = 0, *, joined: bool = False) -> list[Simple]:
    """The simple commands of a text, keywords in front of them removed; empty for a text beyond the limit.

    `joined` reads an argument list that was joined with blanks, where `|` and its like are letters.
    """
    if len(text) > MOST_TEXT:
        return []
    return _structured(_Scanner(text, line, position, "" if joined else _OPERATORS).run())


def _structured(found: list[list[Word]]) -> list[Simple]:
    depth, out = 0, []
    for words in found:
        first = words[0].text
        depth += first in _OPENERS or words[-1].text == "{"
        depth -= first in _CLOSERS or first == "}"
        while words and not words[0].quoted and words[0].text in _LEADERS:
            words = words[1:]
        if words and words[0].text not in _OPENERS | _CLOSERS:
            out.append(Simple(words, nested=depth > 0))
    return out


class _Scanner:
    """One pass over the characters. `start` is where the open word began, None between words."""

    def __init__(self, text: str, line: int, position: int, operators: str) -> None:
        self.text, self.at = text.replace("\r\n", "\n"), 0
        self.operators = operators
        self.line, self.line_start = line, -position
        self.done: list[list[Word]] = []
        self.words: list[Word] = []
        self.pieces: list[Piece] = []
        self.letters: list[str] = []
        self.start: tuple[int, int] | None = None
        self.quoted = False
        self.dropping = False
        self.awaited: list[str] = []
        self.tries = _MOST_TRIES

    def run(self) -> list[list[Word]]:
        while self.at < len(self.text):
            self._character(self.text[self.at])
        self._end_command()
        return self.done

    def _character(self, character: str) -> None:
        if character == "\\":
            self._backslash()
        elif character == "\n":
            self._end_command()
            self._newline()
            self._skip_documents()
        elif character.isspace():
            self._end_word()
            self.at += 1
        elif character == "#" and self.start is None:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif character in "'\"":
            self._quotes(character)
        elif character in "$`":
            self._variable()
        elif character in "<>" and self.operators:
            self._redirection()
        elif character in self.operators:
            self._end_command()
            self.at += 1
        elif character == "{" and self.start is None and self._json():
            return
        else:
            self._add(character)
            self.at += 1

    def _newline(self) -> None:
        self.at += 1
        self.line, self.line_start = self.line + 1, self.at

    def _backslash(self) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 1
        if following == "\n":
            self._newline()
        elif following:
            self._add(following)
            self.at += 1

    def _quotes(self, mark: str) -> None:
        self._open()
        self.quoted = True
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != mark:
            character = self.text[self.at]
            if mark == '"' and character == "\\" and self.text[self.at + 1 : self.at + 2] in ('"', "\\", "$", "`", "\n"):
                self._backslash()
            elif mark == '"' and character in "$`":
                self._variable()
            else:
                self._add(character)
                if character == "\n":
                    self._newline()
                else:
                    self.at += 1
        self.at += 1

    def _variable(self) -> None:
        self._open()
        match = _VARIABLE.search(self.text[self.at : self.at + 200])
        if match:
            self._take(Piece(match.group(0), match.group("braced") or match.group("bare")))
            self.at += len(match.group(0))
            return
        end = self._end_of_substitution()
        if end < 0:
            self._add(self.text[self.at])
            self.at += 1
            return
        taken = self.text[self.at : end]
        self._take(Piece(taken, "(command)"))
        self.line += taken.count("\n")
        self.at = end

    def _end_of_substitution(self) -> int:
        """Where `$(…)`, `${…}` or a backquoted command ends, -1 where none begins."""
        opening = self.text[self.at : self.at + 2]
        if opening.startswith("`"):
            end = self.text.find("`", self.at + 1)
            return end + 1 if end > 0 else -1
        pair = {"$(": "()", "${": "{}"}.get(opening)
        if pair is None or not self.tries:
            return -1
        depth = 0
        for place in range(self.at + 1, min(len(self.text), self.at + 4_000)):
            depth += (self.text[place] == pair[0]) - (self.text[place] == pair[1])
            if depth == 0:
                return place + 1
        self.tries -= 1
        return -1

    def _redirection(self) -> None:
        if self.letters and not self.pieces and not self.quoted and "".join(self.letters).isdigit():
            self.letters, self.start = [], None
        self._end_word()
        operator = ""
        while self.at < len(self.text) and self.text[self.at] in "<>&|-" and len(operator) < 3:
            operator += self.text[self.at]
            self.at += 1
        self.dropping = operator != "<<<"
        if operator in ("<<", "<<-"):
            self.awaited.append("")

    def _json(self) -> bool:
        rest = self.text[self.at + 1 : self.at + 20].lstrip()
        if not rest.startswith('"') or not self.tries:
            return False
        try:
            _, end = json.JSONDecoder().raw_decode(self.text, self.at)
        except (ValueError, RecursionError):
            self.tries -= 1
            return False
        self._open()
        self._take(Piece(self.text[self.at : end]))
        self.line += self.text.count("\n", self.at, end)
        self.at = end
        return True

    def _open(self) -> None:
        if self.start is None:
            self.start = (self.line, self.at - self.line_start)

    def _add(self, character: str) -> None:
        self._open()
        self.letters.append(character)

    def _take(self, piece: Piece) -> None:
        """A piece that is no single letter, behind the letters before it."""
        if self.letters:
            self.pieces.append(Piece("".join(self.letters)))
            self.letters = []
        self.pieces.append(piece)

    def _end_word(self) -> None:
        if self.start is None:
            return
        if self.letters:
            self.pieces.append(Piece("".join(self.letters)))
        word = Word(tuple(self.pieces) or (Piece(""),), *self.start, quoted=self.quoted)
        if not self.dropping:
            self.words.append(word)
        elif self.awaited and not self.awaited[-1]:
            self.awaited[-1] = word.text
        self.pieces, self.letters, self.start, self.quoted, self.dropping = [], [], None, False, False

    def _end_command(self) -> None:
        self._end_word()
        self.dropping = False
        if self.words:
            self.done.append(self.words)
            self.words = []

    def _skip_documents(self) -> None:
        """Here-documents whose operator stood on the line that just ended."""
        for delimiter in self.awaited:
            while delimiter and self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                body = self.text[self.at : end].strip()
                self.at = end
                if self.at < len(self.text):
                    self._newline()
                if body == delimiter:
                    break
        self.awaited = []
