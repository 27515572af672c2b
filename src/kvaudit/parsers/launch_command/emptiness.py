"""Arguments of a launch command that are empty, missing, or depend on a variable that may be unset.

Room: `parsers.launch_command`. What is proven and what hangs on an environment that this document does not show is told apart;
`record` decides the rest with the other documents of the arm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kvaudit.parsers.launch_command.asked import valued_names
from kvaudit.parsers.launch_command.options import LaunchCommand, Option, stands_alone
from kvaudit.parsers.launch_command.words import Word

_MAY_BE_EMPTY = frozenset(("api_key", "chat_template", "served_model_name_prefix", "root_path", "lora_modules"))


@dataclass(frozen=True, slots=True)
class EmptyArgument:
    """`flag` as written, why it is empty, and the variable that must be unset for it (empty when nothing hangs on one)."""

    flag: str
    why: str
    word: Word
    variable: str = ""


def empty_arguments(command: LaunchCommand) -> Iterator[EmptyArgument]:
    """Every empty or missing argument of a command."""
    valued = valued_names(command.engine)
    for option in command.options:
        yield from _of_option(command, option, valued)
    model = command.model
    if model is not None and model.is_known and not model.text:
        yield EmptyArgument("the model", "is empty", model)


def _of_option(command: LaunchCommand, option: Option, valued: frozenset[str]) -> Iterator[EmptyArgument]:
    flag = option.flag.text.partition("=")[0]
    needs_value = option.name in valued and not stands_alone(command.engine, option.name, option.negated)
    if not option.values:
        if needs_value:
            yield EmptyArgument(flag, "has no value", option.flag)
        return
    for value in option.values:
        if value.is_known and not value.text.strip() and option.name not in _MAY_BE_EMPTY:
            yield EmptyArgument(flag, "has an empty value", value)
        elif value.is_only_variable and not _has_default(value):
            dropped = not value.quoted and option.flag is not value
            why = f"{value.text} is not set, so {'its value is dropped' if dropped else 'its value is empty'}"
            yield EmptyArgument(flag, why, value, value.variables[0])


def _has_default(word: Word) -> bool:
    """`${NAME:-default}` and its relatives are never empty by themselves; `$(command)` is beyond this reader."""
    return any(mark in word.text for mark in (":-", ":=", "-", "=", "?", "(")) or word.variables[0] == "(command)"
