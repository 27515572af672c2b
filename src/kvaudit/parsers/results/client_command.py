"""The command of a benchmark client in a script or a saved line: the load that was intended, field by field.

Room: `parsers.results`. Only what is written is taken: a default is no intention. A variable that a loop sets stays open, and so
does what depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from kvaudit.fields import FIELDS
from kvaudit.parsers.facts import Fact, Reading
from kvaudit.parsers.launch_command.facts import MakeOrigin
from kvaudit.parsers.launch_command.finding import ASSIGNMENT, base_name
from kvaudit.parsers.launch_command.options import LaunchCommand, Option, read_arguments
from kvaudit.parsers.launch_command.recognition import script_commands
from kvaudit.parsers.launch_command.shell import MOST_TEXT
from kvaudit.parsers.launch_command.words import Word
from kvaudit.parsers.results.client_arguments import take_arguments
from kvaudit.parsers.results.client_programs import CLIENTS, WRAPPERS, Client
from kvaudit.parsers.results.facts import field_of
from kvaudit.parsers.results.figures import Draft, flag, number, rate, text, written_number
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_SIGNS = LatePattern(
    r"\bvllm\s+bench\s+serve\b|benchmark_serving\.py|vllm\.benchmarks\.serve|bench_serving|\baiperf\s+profile\b|\bgenai-perf\b|"
    r"\btrtllm-bench\b"
)
_MOST_PREFIX = 40
_MOST_COMMANDS = 100
_BODY = {"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens", "n": "choices", "ignore_eos": "ignore_eos"}
Asked = tuple[str, Any, Word]


class ClientCommandFile:
    """Reads scripts that start a benchmark client and no server."""

    name = "results:client-command"
    kind = "results"
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.7 where every line is a command of a shell and one of them starts a client; a server's script counts more."""
        return 0.7 if source.size <= MOST_TEXT and _SIGNS.search(source.head) and client_commands(source.head) else 0.0

    def read(self, source: Source) -> Reading:
        """What the commands ask for."""
        from kvaudit.parsers.launch_command.parser import OriginMaker

        maker = OriginMaker(source, self.name)
        notes = ["the command of a benchmark client: what it was asked to do"]
        return Reading(kind=self.kind, facts=facts_of_clients(source.head, source.path, maker.origin), notes=notes)


def facts_of_clients(script: str, path: str, origin: MakeOrigin) -> list[Fact]:
    """The `result.*` facts of every client command in a script."""
    if not _SIGNS.search(script):
        return []
    facts: list[Fact] = []
    for count, command in enumerate(client_commands(script)[:_MOST_COMMANDS], 1):
        scope = f"{path} command {count}"
        facts.append(fact("result.tool", command.engine.name, "requested", [origin(command.words[0])], scope=scope))
        for field, value, word in _asked(command):
            how = f"{word.because} is set in the same document" if word.because else None
            facts.append(fact(field, value, "requested", [origin(word)], scope=scope, how=how))
    return facts


def client_commands(script: str) -> list[LaunchCommand]:
    """The commands that start a client, in order; none in a document that is no script."""
    found = (client_command(words) for words in script_commands(script, lambda words: client_command(words) is not None))
    return [command for command in found if command is not None]


def client_command(words: Sequence[Word]) -> LaunchCommand | None:
    """The client's command in the words of one simple command."""
    first = next((index for index, word in enumerate(words) if not ASSIGNMENT.search(word.text)), len(words))
    wrapped = first < len(words) and base_name(words[first].text) in WRAPPERS
    for at in range(first, min(len(words), first + (_MOST_PREFIX if wrapped else 1))):
        texts = [base_name(words[at].text), *(word.text for word in words[at + 1 : at + 3])]
        for client in CLIENTS:
            start = next((one for one in client.starts if tuple(texts[: len(one)]) == one), None)
            if start is not None:
                command = LaunchCommand(client.engine, list(words[at:]), list(words[at + len(start) :]))
                read_arguments(command)
                return None if any(option.name in ("help", "h", "version") for option in command.options) else command
    return None


def _asked(command: LaunchCommand) -> Iterator[Asked]:
    client = next(one for one in CLIENTS if one.engine is command.engine)
    found = list(_of_flags(client, command) if client.flags else _of_arguments(command))
    taken = {field for field, _, _ in found}
    for field, value, word in (*found, *(one for one in _of_bodies(command) if one[0] not in taken)):
        if field in FIELDS:
            yield field, value, word
    model = command.last("model", "m", "served_model_name")
    if model and model.is_known and model.values and (name := text(model.values[0].text)):
        yield "result.model", name, model.values[0]


def _of_arguments(command: LaunchCommand) -> Iterator[Asked]:
    """The clients of vLLM and SGLang: the flags are the arguments that their dumps show."""
    options = {option.name: option for option in command.options if option.is_known}
    values = {name: _value(option) for name, option in options.items()}
    if "disable_ignore_eos" in values:
        values["ignore_eos"] = False
        options["ignore_eos"] = options["disable_ignore_eos"]
    draft = Draft(command.engine.name, values)
    take_arguments(draft)
    for name, held in draft.values.items():
        option = options[(held.pointer or "").removeprefix("/")]
        yield field_of(name), held.value, option.values[0] if option.values else option.flag


def _value(option: Option) -> Any:
    """A value as an argument parser leaves it: numbers are numbers, a flag alone is true."""
    if not option.values:
        return not option.negated
    written = option.values[0].text
    found = rate(written) if option.name == "request_rate" else written_number(written)
    return written if found is None else found


def _of_flags(client: Client, command: LaunchCommand) -> Iterator[Asked]:
    for name, flags in client.flags:
        option = command.last(*flags)
        if option is None or not option.is_known or not option.values:
            continue
        written = option.values[0].text
        value = rate(written) if name == "request_rate" else text(written) if name in ("dataset", "endpoint") else None
        value = written_number(written) if value is None and name not in ("dataset", "endpoint") else value
        if value is not None:
            yield field_of(name), value, option.values[0]


def _of_bodies(command: LaunchCommand) -> Iterator[Asked]:
    """Parameters that go to the server as they are: an object of JSON, or `key:value` once per flag."""
    for option in command.options:
        if option.name in ("extra_body", "extra_request_body", "extra_inputs") and option.is_known and option.values:
            word = option.values[0]
            for key, value in _pairs(word.text):
                name = _BODY.get(key, "")
                found = flag(value) if name == "ignore_eos" else number(value)
                if name and found is not None:
                    yield field_of(name), found, word


def _pairs(written: str) -> list[tuple[str, Any]]:
    if written.lstrip().startswith("{"):
        try:
            value = json.loads(written)
        except (ValueError, RecursionError):
            return []
        return [(str(key), one) for key, one in value.items()] if isinstance(value, dict) else []
    key, colon, value = written.partition(":")
    if not colon:
        return []
    found = written_number(value)
    return [(key.strip(), value if found is None else found)]
