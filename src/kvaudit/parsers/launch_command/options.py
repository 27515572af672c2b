"""The arguments behind an engine's program become options: name, values, and the words they stand in.

Room: `parsers.launch_command`. Names are spelled as the engine's own argument dumps spell them (underscores); what a value
means is decided in `asked`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kvaudit.parsers.launch_command.engines import Engine
from kvaudit.parsers.launch_command.words import Piece, Word, plain
from kvaudit.patterns import LatePattern

_NUMBER = LatePattern(r"^-\d+(?:\.\d+)?$")
_MOST_OPTIONS = 500


@dataclass(frozen=True, slots=True)
class Option:
    """One flag. `name` has underscores, `flag` is the word as written; a flag without a value has none in `values`."""

    name: str
    flag: Word
    values: tuple[Word, ...] = ()
    negated: bool = False

    @property
    def is_known(self) -> bool:
        """Whether no open variable stands in it."""
        return self.flag.is_known and all(value.is_known for value in self.values)


@dataclass(slots=True)
class LaunchCommand:
    """A server's command: its words from the program on, the arguments behind the program and its verbs, what they say.

    `model` is the word that stands without a flag; `environment` are the variables set for it, by name.
    """

    engine: Engine
    words: list[Word]
    arguments: list[Word]
    options: list[Option] = field(default_factory=list)
    model: Word | None = None
    environment: dict[str, Word] = field(default_factory=dict)
    address: dict[str, Any] | None = None
    """Where the container of `docker run` can be reached, as in `published`."""

    @property
    def lines(self) -> tuple[int, int]:
        """First and last physical line."""
        numbers = [word.line for word in self.words]
        return min(numbers), max(numbers)

    def last(self, *names: str) -> Option | None:
        """The option that counts of those with one of these names: the last."""
        return next((option for option in reversed(self.options) if option.name in names), None)


def read_arguments(command: LaunchCommand) -> None:
    """Fill options and model from the words behind the program."""
    arguments, at = command.arguments, 0
    while at < len(arguments) and len(command.options) < _MOST_OPTIONS:
        word = arguments[at]
        at += 1
        if not is_flag(word):
            if command.engine.takes_model and command.model is None:
                command.model = word
            continue
        option, taken = _option(command.engine, word, arguments[at:])
        at += taken
        command.options.append(option)


def is_flag(word: Word) -> bool:
    """Whether a word is a flag: it begins with a dash, is no negative number and was no quoted text with blanks."""
    text = word.text
    return len(text) > 1 and text[0] == "-" and not _NUMBER.search(text) and " " not in text.partition("=")[0]


def _option(engine: Engine, word: Word, rest: Sequence[Word]) -> tuple[Option, int]:
    written, equals, value = word.text.partition("=")
    name, negated = _name(engine, written)
    if name == "optimization_level" and written[2:].isdigit():
        return Option(name, word, (plain(written[2:], word.line, word.position + 2, pointer=word.pointer),)), 0
    if equals:
        return Option(name, word, (_behind_equals(word, len(written) + 1, value),), negated), 0
    following = next((index for index, one in enumerate(rest) if is_flag(one)), len(rest))
    if name in engine.many:
        return Option(name, word, tuple(rest[:following]), negated), following
    if following and not (stands_alone(engine, name, negated) and rest[0].text.lower() not in ("true", "false")):
        return Option(name, word, (rest[0],), negated), 1
    return Option(name, word, (), negated), 0


def _name(engine: Engine, written: str) -> tuple[str, bool]:
    bare = written.lstrip("-")
    name = bare.replace("-", "_")
    for other, known in engine.also:
        if name == other or (len(other) == 1 and other.isupper() and bare[:1] == other and bare[1:].isdigit()):
            return known, False
    if name.startswith("no_") and engine.name == "vllm":
        return name.removeprefix("no_"), True
    return name, False


def stands_alone(engine: Engine, name: str, negated: bool) -> bool:
    """Whether a flag takes no value."""
    return negated or name in engine.alone or name.startswith(engine.alone_starts or ("\0",))


def _behind_equals(word: Word, start: int, value: str) -> Word:
    """The value of `--flag=value`; its variables stay open."""
    pieces, skipped = [], start
    for piece in word.pieces:
        if skipped >= len(piece.text):
            skipped -= len(piece.text)
            continue
        pieces.append(Piece(piece.text[skipped:], piece.name))
        skipped = 0
    kept = tuple(pieces) or (Piece(value),)
    return Word(kept, word.line, word.position + start, word.quoted, word.because, word.pointer)
