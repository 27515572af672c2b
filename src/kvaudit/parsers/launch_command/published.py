"""Where the ports of a container can be reached from: the host address of each published port, and the container's network.

Room: `parsers.launch_command`, shared with the descriptions of services. The short form of ports is that of `docker run -p`
and of compose files, `[ADDRESS:][HOST PORT:]PORT[/udp]`; nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kvaudit.parsers.launch_command.words import Word
from kvaudit.patterns import LatePattern

CLUE = "clue.container_address"
UNKNOWN = "?"
"""An address that a variable holds which is not in the evidence."""

_VARIABLE = LatePattern(r"\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\$\([^()]*\)")
_PUBLISH, _NETWORK, _ALL = ("-p", "--publish"), ("--network", "--net"), ("-P", "--publish-all")
_MOST = 64

Port = dict[str, str]
"""`address` on the host (empty: every one) and `target`, the port inside."""


def address_of(service: str | None, network: str | None, ports: Sequence[Port]) -> dict[str, Any]:
    """The value of the clue. A container that publishes nothing has an empty list."""
    return {"service": service, "network": network, "published": [dict(one) for one in ports[:_MOST]]}


def short_port(text: str) -> Port | None:
    """A port in the short form; None for UDP, over which no engine serves."""
    bare, _, protocol = _VARIABLE.sub("$", text).rpartition("/")
    bare, protocol = (bare, protocol) if bare else (protocol, "tcp")
    if protocol not in ("tcp", "$"):
        return None
    rest, _, target = bare.rpartition(":")
    address = rest.rpartition(":")[0].strip("[]") if ":" in rest else ""
    return {"address": UNKNOWN if "$" in address else address, "target": target}


def of_run(words: Sequence[Word]) -> dict[str, Any] | None:
    """What the options of `docker run` say, up to the image and the command; None for words that run no container."""
    texts = [word.text for word in words]
    if "run" not in texts[:8]:
        return None
    network, ports = None, []
    for at, text in enumerate(texts):
        name, equals, value = text.partition("=")
        value = value if equals else texts[at + 1] if at + 1 < len(texts) else ""
        if name in _NETWORK:
            network = value
        elif name in _PUBLISH and (port := short_port(value)):
            ports.append(port)
        elif text in _ALL:
            ports.append({"address": "", "target": ""})
        elif text.startswith("-p") and text[2:3].isdigit() and (port := short_port(text[2:])):
            ports.append(port)
    return address_of(None, network, ports)
