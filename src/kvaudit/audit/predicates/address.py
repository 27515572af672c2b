"""The predicate about where a server can be reached.

Room: `audit`. The server's own address comes from its arguments; around a container, what is published decides.
"""

from __future__ import annotations

from typing import Any

from kvaudit.audit.context import ArmContext, Cited, Outcome
from kvaudit.audit.predicates.registry import missing, predicate
from kvaudit.parsers.facts import Fact
from kvaudit.parsers.tables import fact
from kvaudit.patterns import LatePattern

_CLUE, _ARGUMENTS = "clue.container_address", "run.args"
_OWN = LatePattern(r"^(?i:127\.[0-9.]*|localhost|\[?::1\]?|\[?::ffff:127\.[0-9.]*\]?)$")
_LISTENS = {"vllm": "0.0.0.0", "sglang": "127.0.0.1"}  # noqa: S104 - what engines do
"""Where an engine listens without `--host`: vLLM everywhere, SGLang on the loopback address (server_args.py, 0.4 to 0.5.23)."""


@predicate("arm", {})
def reachable_address(arm: ArmContext, _arguments: dict[str, Any]) -> Outcome:
    """The server's address is not limited to this host: neither by --host, nor by what its container publishes."""
    own = _own_address(arm)
    if own is False:
        return Outcome(False, arm.cite(_ARGUMENTS))
    clues = [one for one in arm.record.clues.get(_CLUE, []) if isinstance(one.value, dict)]
    said = [_published(one.value, _port(arm)) for one in clues]
    if said and own is not None and not any(said) and None in said:
        return Outcome(
            None,
            missing=[f"arm {arm.name}: where the ports of the server's container are published, or the services of its cluster"],
        )
    if said and not any(said) and None not in said:
        return Outcome(False, [_cited(arm, one) for one in clues[:2]])
    if own is None:
        return Outcome(None, missing=[missing(arm, _ARGUMENTS)])
    open_ = [one for one, truth in zip(clues, said, strict=True) if truth]
    return Outcome(True, [*arm.cite(_ARGUMENTS), *(_cited(arm, one) for one in open_[:2])])


def _cited(arm: ArmContext, clue: Fact) -> Cited:
    return Cited(
        arm.name, _ARGUMENTS, fact(_ARGUMENTS, arm.record.value(_ARGUMENTS), clue.stage, list(clue.origins), how=_told(clue))
    )


def _told(clue: Fact) -> str:
    ports = ", ".join(f"{one.get('address') or '*'}:{one.get('target') or '*'}" for one in _ports(clue.value)[:4])
    return f"published: {ports or 'nothing'}; network: {clue.value.get('network') or 'its own'}"


def _own_address(arm: ArmContext) -> bool | None:
    """Whether the server itself listens beyond the loopback address; None where its arguments are not known."""
    arguments = arm.record.value(_ARGUMENTS)
    if arm.record.state(_ARGUMENTS) != "known" or not isinstance(arguments, dict):
        return None
    if isinstance(arguments.get("uds"), str) and arguments["uds"]:
        return False
    host = arguments.get("host")
    if host in (None, ""):
        host = _LISTENS.get(str(arm.record.value("engine.name")))
    if not isinstance(host, str) or "$" in host or host.startswith("<secret-"):
        return None
    return _OWN.search(host) is None


def _port(arm: ArmContext) -> str | None:
    arguments = arm.record.value(_ARGUMENTS)
    port = arguments.get("port") if isinstance(arguments, dict) else None
    return str(port) if isinstance(port, int | str) and str(port).isdigit() else None


def _ports(value: dict[str, Any]) -> list[dict[str, Any]]:
    ports = value.get("published")
    return [one for one in ports if isinstance(one, dict)] if isinstance(ports, list) else []


def _published(value: dict[str, Any], port: str | None) -> bool | None:
    """Whether other hosts reach the container; None where a variable, another container or the cluster decides."""
    network = value.get("network")
    if network == "host":
        return True
    if network == "none":
        return False
    ports = [
        one for one in _ports(value) if port is None or one.get("target") in (port, "", "$") or "-" in str(one.get("target"))
    ]
    addresses = [str(one.get("address")) for one in ports]
    if any(one != "?" and _OWN.search(one) is None for one in addresses):
        return True
    return None if not addresses or "?" in addresses else False
