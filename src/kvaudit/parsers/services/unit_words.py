"""The words of `ExecStart=` and `Environment=`, as systemd splits and expands them.

Room: `parsers.services`. systemd.service(5): quotes and C escapes, `${NAME}` anywhere, `$NAME` only as a word of its own and then
split into words, `$$` and `%%` as one character. Specifiers (`%h`, `%i`) and the placeholders of templates are values that this
file does not show, so they stay open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kvaudit.parsers.launch_command.words import Piece, Word, expanded
from kvaudit.parsers.services.unit_lines import Assignment
from kvaudit.patterns import LatePattern

_OPEN = LatePattern(
    r"\$\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<escaped>\$\$|%%)|(?P<specifier>%[A-Za-z])|"
    r"(?P<placeholder>__[A-Z][A-Z0-9_]*__|@[A-Z][A-Z0-9_]*@|\{\{[^{}]*\}\})"
)
_BARE = LatePattern(r"^\$([A-Za-z_][A-Za-z0-9_]*)$")
_PREFIXES = "@-:+!|"
_ESCAPES = {"n": "\n", "t": "\t", "s": " "}


def split(assignment: Assignment) -> list[Word]:
    """The words of a value, variables open."""
    words: list[Word] = []
    text, at = assignment.text, 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start = at
        letters, quoted, at = _word(text, at)
        line, position = assignment.place(start)
        words.append(Word(_pieces("".join(letters)), line, position, quoted))
    return words


def _word(text: str, at: int) -> tuple[list[str], bool, int]:
    """The letters of the word at an offset, whether a part of it was quoted, and where it ends."""
    letters: list[str] = []
    mark, quoted = "", False
    while at < len(text):
        character = text[at]
        if not mark and character.isspace():
            break
        if character == "\\" and at + 1 < len(text):
            letters.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
            continue
        if character in "\"'" and mark in ("", character):
            mark, quoted = ("" if mark else character), True
        else:
            letters.append(character)
        at += 1
    return letters, quoted, at


def _pieces(text: str) -> tuple[Piece, ...]:
    if match := _BARE.search(text):
        return (Piece(text, match.group(1)),)
    pieces, done = [], 0
    for match in _OPEN.finditer(text):
        pieces.append(Piece(text[done : match.start()]))
        if match.group("escaped"):
            pieces.append(Piece(match.group(0)[0]))
        else:
            pieces.append(Piece(match.group(0), match.group("braced") or match.group(0)))
        done = match.end()
    pieces.append(Piece(text[done:]))
    return tuple(piece for piece in pieces if piece.text) or (Piece(""),)


def command_words(assignment: Assignment, environment: Mapping[str, str]) -> list[Word]:
    """The words of a command line, the unit's own variables expanded, the prefixes of its program removed."""
    words = split(assignment)
    if words:
        words[0] = _without_prefix(words[0])
    out: list[Word] = []
    for word in words:
        match = _BARE.search(word.text) if not word.quoted else None
        if match and match.group(1) in environment:
            out += [
                Word((Piece(part),), word.line, word.position, because=match.group(1))
                for part in environment[match.group(1)].split()
            ]
        else:
            out.append(expanded(word, environment))
    return out


def _without_prefix(word: Word) -> Word:
    first = word.pieces[0]
    bare = first.text.lstrip(_PREFIXES)
    return replace(word, pieces=(Piece(bare, first.name), *word.pieces[1:])) if bare and not first.name else word


def environment_of(found: list[Assignment]) -> dict[str, str]:
    """The variables that `Environment=` sets to known texts; an empty assignment forgets the earlier ones."""
    environment: dict[str, str] = {}
    for assignment in found:
        if assignment.section != "Service" or assignment.key != "Environment":
            continue
        if not assignment.text:
            environment = {}
        for word in split(assignment):
            name, equals, value = word.text.partition("=")
            if equals and word.is_known:
                environment[name] = value
            else:
                environment.pop(name, None)
    return environment
