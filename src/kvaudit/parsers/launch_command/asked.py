"""What a launch command asks for: options become fields, each with the words it stands in.

Room: `parsers.launch_command`. Everything here is requested; what the engine made of it stands in its log. A value with an open
variable is no value, and a flag that is not given says nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from kvaudit.fields import FIELDS
from kvaudit.parsers.launch_command.engines import Engine
from kvaudit.parsers.launch_command.flag_tables import ALSO_VALUED, FIELDS_BY_FLAG, SWITCHES
from kvaudit.parsers.launch_command.numbers import number
from kvaudit.parsers.launch_command.options import LaunchCommand, Option
from kvaudit.parsers.launch_command.words import Word
from kvaudit.parsers.llama_cpp import command as llama_command
from kvaudit.parsers.vllm import arguments as vllm_arguments
from kvaudit.sources.escapes import without_half_pairs

_UNSET = ("", "none", "null")


class Asked(NamedTuple):
    """One value that the command asks for, and the word it stands in."""

    field: str
    value: Any
    word: Word


def valued_names(engine: Engine) -> frozenset[str]:
    """Names of the flags of an engine that are known to need a value."""
    fields = {name for name, field in FIELDS_BY_FLAG[engine.name].items() if FIELDS[field].type != "bool"}
    return frozenset(fields) | frozenset(ALSO_VALUED[engine.name])


def arguments_of(command: LaunchCommand) -> dict[str, Any]:
    """The typed arguments as the engine's own dump names them; words with open variables stay as written."""
    if command.engine.name == "llama_cpp":
        return dict(llama_command.flags_of_words(word.text for word in command.arguments))
    found: dict[str, Any] = {}
    if command.model is not None:
        found[command.engine.model_keys[0]] = command.model.text
    for option in command.options:
        _place(found, option.name.split("."), _generic(option))
    return found


def _place(found: dict[str, Any], path: list[str], value: Any) -> None:
    """`--attention-config.backend X` is a key of an object."""
    for name in path[:-1][:4]:
        inner = found.setdefault(name, {})
        if not isinstance(inner, dict):
            return
        found = inner
    found[path[-1]] = value


def asked(command: LaunchCommand) -> Iterator[Asked]:
    """Every field that the command asks for; vLLM's backends in capitals, as its logs print them."""
    for one in _asked(command):
        capitals = one.field == "attention.backend" and command.engine.name == "vllm"
        yield one._replace(value=str(one.value).upper()) if capitals else one


def _asked(command: LaunchCommand) -> Iterator[Asked]:
    if (model := model_word(command)) is not None:
        yield Asked("model.path", model.text, model)
    if command.engine.name == "vllm":
        yield from _vllm(command)
    elif command.engine.name == "llama_cpp":
        yield from _llama_cpp(command)
    elif command.engine.name == "sglang":
        yield from _sglang(command)
    yield from _table(command)
    yield from _switches(command)
    yield from _of_environment(command)


def model_word(command: LaunchCommand) -> Word | None:
    """The word that names the model, None where a variable is open in it or nothing names it."""
    option = command.last(*command.engine.model_keys)
    word = option.values[0] if option and option.values else command.model
    return word if word is not None and word.is_known and word.text else None


def _table(command: LaunchCommand) -> Iterator[Asked]:
    table = FIELDS_BY_FLAG[command.engine.name]
    for option in _last_of_each(command):
        field = table.get(option.name)
        if field is None or field == "model.path" or not option.is_known:
            continue
        value = _of_field(field, option)
        if value is None or (command.engine.name == "llama_cpp" and value == 0) or value in _not_typed(command, option.name):
            continue
        yield Asked(field, value, option.values[0] if option.values else option.flag)


def _switches(command: LaunchCommand) -> Iterator[Asked]:
    switches = SWITCHES.get(command.engine.name, {})
    for option in _last_of_each(command):
        if option.name in switches and not option.values:
            field, value = switches[option.name]
            yield Asked(field, value, option.flag)


def _not_typed(command: LaunchCommand, name: str) -> tuple[Any, ...]:
    """Values that ask for nothing: SGLang's chunk size of -1 means no chunks, vLLM's generation_config auto the default."""
    if command.engine.name == "sglang" and name == "chunked_prefill_size":
        return (-1,)
    return ("auto",) if name == "generation_config" else ()


def _last_of_each(command: LaunchCommand) -> list[Option]:
    return list({option.name: option for option in command.options}.values())


def _of_field(field: str, option: Option) -> Any:
    kind = FIELDS[field].type
    if kind == "bool":
        written = option.values[0].text.lower() if option.values else "true"
        return None if written not in ("true", "false") else (written == "true") != option.negated
    if not option.values:
        return None
    text = option.values[0].text.strip()
    if text.lower() in _UNSET:
        return None
    if kind not in ("int", "number"):
        return text
    value = number(text)
    if value is None:
        return text if FIELDS[field].delegates(text) else None
    return int(value) if kind == "int" and float(value).is_integer() else value


def _generic(option: Option) -> Any:
    """A value of `run.args`: numbers and JSON as such, a flag that stands alone is true."""
    if not option.values:
        return not option.negated
    if len(option.values) > 1:
        return [word.text for word in option.values]
    word = option.values[0]
    if word.is_known and word.text[:1] == "{":
        return _object(word.text)
    value = number(word.text) if word.is_known and word.text[-1:].isdigit() else None
    return word.text if value is None else value


def _object(text: str) -> Any:
    try:
        return json.loads(without_half_pairs(text))
    except (ValueError, RecursionError):
        return text


def _vllm(command: LaunchCommand) -> Iterator[Asked]:
    """Nested configurations: connectors, speculation, graphs; their plain flags stand in the table."""
    words = {option.name.split(".")[0]: option for option in command.options if option.is_known}
    nested = {name: value for name, value in arguments_of(command).items() if isinstance(value, dict) and name in words}
    for field, value, key in vllm_arguments.requested(vllm_arguments.Arguments(nested, whole=True, only_typed=True)):
        if key in words and isinstance(value, str | int | float) and _fits(field, value):
            word = (words[key].values or (words[key].flag,))[0]
            yield Asked(field, value, word)
            if field == "kv_transfer.connector":
                yield Asked("kv_cache.offload", vllm_arguments.tier_of(str(value)), word)


def _sglang(command: LaunchCommand) -> Iterator[Asked]:
    """The transfer backend counts only where the server is one half of a pair."""
    mode, backend = command.last("disaggregation_mode"), command.last("disaggregation_transfer_backend")
    is_half = mode is not None and mode.is_known and bool(mode.values) and mode.values[0].text not in ("null", "")
    if is_half and backend is not None and backend.is_known and backend.values:
        yield Asked("kv_transfer.connector", backend.values[0].text, backend.values[0])


def _fits(field: str, value: Any) -> bool:
    kind = FIELDS[field].type
    return isinstance(value, str) if kind == "text" else isinstance(value, int) if kind == "int" else True


def _llama_cpp(command: LaunchCommand) -> Iterator[Asked]:
    known = [word for option in command.options if option.is_known for word in (option.flag, *option.values)]
    places = {option.flag.text: (option.values or (option.flag,))[0] for option in command.options}
    for field, value, flag in llama_command.requested(llama_command.flags_of_words(word.text for word in known)):
        if value is not None and flag in places:
            yield Asked(field, value, places[flag])


def _of_environment(command: LaunchCommand) -> Iterator[Asked]:
    """`VLLM_ATTENTION_BACKEND` chose the backend until 0.13."""
    word = command.environment.get("VLLM_ATTENTION_BACKEND")
    named = command.last("attention_backend")
    if command.engine.name == "vllm" and word is not None and word.is_known and word.text and named is None:
        yield Asked("attention.backend", word.text, word)
