"""The command of a container: from lists of words or a line of text, with the variables that its description sets.

Room: `parsers.services`. Compose writes `${NAME}` and `$$`, Kubernetes `$(NAME)`; docker has expanded everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kvaudit.parsers.launch_command.finding import engine_command, from_image
from kvaudit.parsers.launch_command.options import LaunchCommand
from kvaudit.parsers.launch_command.shell import commands
from kvaudit.parsers.launch_command.words import Piece, Word, expanded, plain
from kvaudit.parsers.services.cells import Cell
from kvaudit.patterns import LatePattern

_COMPOSE = LatePattern(r"(?P<escaped>\$\$)|\$\{(?P<braced>[A-Za-z_][A-Za-z0-9_]*)[^{}]*\}|\$(?P<bare>[A-Za-z_][A-Za-z0-9_]*)")
_KUBERNETES = LatePattern(r"(?P<escaped>\$\$)|\$\((?P<braced>[A-Za-z_][A-Za-z0-9_.-]*)\)(?P<bare>)")
_TEMPLATE = LatePattern(r"\{\{[^{}]*\}\}")


def compose_word(cell: Cell) -> Word:
    """A word of a compose file; interpolated variables come from an environment that the file does not hold."""
    return replace(cell.word, pieces=_pieces(cell.text, _COMPOSE))


def kubernetes_word(cell: Cell, environment: Mapping[str, str]) -> Word:
    """A word of a pod; the pod's own variables are put in, templates of a chart stay open."""
    return expanded(replace(cell.word, pieces=_pieces(cell.text, _KUBERNETES)), environment)


def _pieces(text: str, variables: object) -> tuple[Piece, ...]:
    pieces, done = [], 0
    for match in variables.finditer(text):  # type: ignore[attr-defined]
        pieces.append(Piece(text[done : match.start()]))
        name = match.group("braced") or match.group("bare")
        pieces.append(Piece("$") if match.group("escaped") else Piece(match.group(0), name))
        done = match.end()
    pieces.append(Piece(text[done:]))
    out: list[Piece] = []
    for piece in pieces:
        if piece.name or not _TEMPLATE.search(piece.text):
            out.append(piece)
        else:
            out.append(Piece(piece.text, "(template)"))
    return tuple(piece for piece in out if piece.text) or (Piece(""),)


def words_of_text(cell: Cell) -> list[Word]:
    """The words of a command that stands in one piece of text."""
    start = cell.word
    found = [
        replace(word, pointer=cell.pointer) for one in commands(cell.text, start.line, start.position)[:1] for word in one.words
    ]
    return _unfolded(cell, found) if cell.folded else found


def _unfolded(cell: Cell, words: list[Word]) -> list[Word]:
    """The words of a folded text on the lines where they stand."""
    out, at = [], 0
    for word in words:
        found = cell.folded.find(word.text.split(" ", 1)[0], at)
        at = found if found >= 0 else at
        line_start = cell.folded.rfind("\n", 0, at) + 1
        out.append(replace(word, line=cell.line + cell.folded.count("\n", 0, at), position=at - line_start))
    return out


def launch_of(image: str, entrypoint: list[Word], command: list[Word], environment: Mapping[str, Cell]) -> LaunchCommand | None:
    """The server that a container starts: its command's, or the one that its image starts with the command as arguments."""
    found = engine_command([*entrypoint, *command]) if entrypoint or command else None
    if found is None and not entrypoint and command:
        found = from_image(image, command)
    if found is not None:
        given = {name: plain(cell.text, cell.line, cell.position, pointer=cell.pointer) for name, cell in environment.items()}
        found.environment = {**given, **found.environment}
    return found
