"""A launch command becomes facts: the engine, what was asked for, the arguments as a whole, and what is empty in them.

Room: `parsers.launch_command`. The caller says how an origin is made, because words stand in scripts, units, JSON and YAML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kvaudit.fields import spelled
from kvaudit.parsers.facts import Fact, Origin
from kvaudit.parsers.launch_command.asked import arguments_of, asked, model_word
from kvaudit.parsers.launch_command.emptiness import empty_arguments
from kvaudit.parsers.launch_command.options import LaunchCommand
from kvaudit.parsers.launch_command.published import CLUE as CONTAINER_ADDRESS
from kvaudit.parsers.launch_command.words import Word
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern

MakeOrigin = Callable[[Word], Origin]

_DEVELOPER_MODE = "VLLM_SERVER_DEV_MODE"
_SWITCHED_ON = LatePattern(r"^0*[1-9]\d{0,8}$")
_DEVICES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


def facts_of(command: LaunchCommand, origin: MakeOrigin, service: str | None = None, *, closed: bool = False) -> list[Fact]:
    """The facts of one command. `service` names the unit or container it belongs to.

    `closed` says that the document shows the whole environment, so that a variable which it does not set is unset.
    """
    first = origin(command.words[0])
    found = [fact("engine.name", command.engine.name, "requested", [first])]
    for field, value, word in asked(command):
        how = f"{word.because} is set in the same document" if word.because else None
        found.append(fact(field, spelled(field, value), "requested", [origin(word)], how=how))
    found.append(fact("run.args", arguments_of(command), "requested", [first]))
    found.append(_clue(command, first, service))
    for empty in empty_arguments(command):
        value = {"flag": empty.flag, "why": empty.why, "variable": empty.variable, "service": service, "closed": closed}
        found.append(fact("clue.empty_argument", value, "observed", [origin(empty.word)]))
    if command.address is not None:
        found.append(fact(CONTAINER_ADDRESS, {**command.address, "service": service}, "requested", [first]))
    return [*found, *_devices(command, origin, service), *_developer_mode(command, origin)]


def _clue(command: LaunchCommand, first: Origin, service: str | None) -> Fact:
    """Which engine and model the command starts, so that `record` can tell whether it is this run's."""
    model = model_word(command)
    lines = list(command.lines)
    value: dict[str, Any] = {
        "engine": command.engine.name,
        "model": model.text if model else None,
        "service": service,
        "lines": lines,
    }
    return fact("clue.launch_command", value, "requested", [first])


def _devices(command: LaunchCommand, origin: MakeOrigin, service: str | None) -> list[Fact]:
    found = []
    for name in _DEVICES:
        word = command.environment.get(name)
        if word is not None and word.is_known and word.text and word.text not in ("all", "void", "none"):
            value = {"variable": name, "devices": [part.strip() for part in word.text.split(",")][:64], "service": service}
            found.append(fact("clue.visible_devices", value, "requested", [origin(word)]))
    return found


def _developer_mode(command: LaunchCommand, origin: MakeOrigin) -> list[Fact]:
    """What vLLM warns of at start where `VLLM_SERVER_DEV_MODE` is an integer other than 0 (vllm/envs.py, 0.6.4 to 0.33)."""
    word = command.environment.get(_DEVELOPER_MODE)
    if command.engine.name != "vllm" or word is None or not word.is_known or not _SWITCHED_ON.match(word.text.strip()):
        return []
    notice = {"code": "developer-mode", "text": f"{_DEVELOPER_MODE}={word.text.strip()} in the environment of the command"}
    return [fact("engine.notices", [notice], "requested", [origin(word)])]
