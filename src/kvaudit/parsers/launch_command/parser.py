"""A file that holds a launch command: one line as somebody saved it, or the script that started the server.

Room: `parsers.launch_command`. Engine evidence of its own kind. Where a script starts several servers, only what all of them
ask for is said.
"""

from __future__ import annotations

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Fact, Origin, Reading
from kvaudit.parsers.launch_command.facts import facts_of
from kvaudit.parsers.launch_command.recognition import launches, recognised
from kvaudit.parsers.launch_command.words import Word
from kvaudit.sources.source import Source


class LaunchCommandFile:
    """Reads launch commands and scripts."""

    name = "launch-command"
    kind = "launch-command"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Every line is a command of a shell, and one of them starts a known server."""
        return recognised(source.head, source.size)

    def read(self, source: Source) -> Reading:
        """What the command asks for. Raises `InputError` when the document no longer reads as one."""
        from kvaudit.parsers.results.client_command import facts_of_clients  # which reads commands by this package

        servers = launches(source.head)
        if not servers:
            raise InputError(source.path, "looks like a launch command but starts no known server")
        maker = OriginMaker(source, self.name)
        found = [facts_of(server, maker.origin) for server in servers]
        notes = [f"starts {len(servers)} servers: only what all of them ask for is taken"] if len(servers) > 1 else []
        facts = [*_common(found), *facts_of_clients(source.head, source.path, maker.origin)]
        return Reading(kind=self.kind, engine=_engine(found), facts=facts, notes=notes)


class OriginMaker:
    """Origins of words in a text document."""

    def __init__(self, source: Source, reader: str) -> None:
        self.source, self.reader = source, reader
        self.lines = (source.text() or source.head).split("\n")

    def origin(self, word: Word) -> Origin:
        """Where a word stands."""
        line = self.lines[word.line - 1] if 0 < word.line <= len(self.lines) else ""
        excerpt = self.source.excerpt(line, word.position)
        return Origin(file=self.source.path, line=word.line, pointer=word.pointer, excerpt=excerpt, reader=self.reader)


def _common(found: list[list[Fact]]) -> list[Fact]:
    """The facts of the first command that every other one says too; clues of all."""
    first, *others = found
    said = [{(one.field, str(one.value)) for one in facts} for facts in others]
    kept = [one for one in first if one.field.startswith("clue.") or all((one.field, str(one.value)) in facts for facts in said)]
    clues = [one for facts in others for one in facts if one.field == "clue.empty_argument"]
    return [*kept, *clues]


def _engine(found: list[list[Fact]]) -> str | None:
    names = {one.value for facts in found for one in facts if one.field == "engine.name"}
    return str(names.pop()) if len(names) == 1 else None
