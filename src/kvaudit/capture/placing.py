"""Where the server is: which process of this machine it is, and whether what lies here is what it sees.

Room: `capture`. A port may be forwarded: by ssh or kubectl to another machine, whose GPUs are not this one's; by Docker into a
container, whose paths are its own. What cannot be told is not taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from kvaudit.capture import process, services
from kvaudit.capture.fetching import Server
from kvaudit.capture.wish import Wish

ELSEWHERE = "the server is on another machine"
_TO_OTHER_MACHINES = frozenset({"ssh", "sshd", "kubectl", "socat", "nginx", "haproxy", "envoy", "traefik", "caddy", "autossh"})
_INTO_CONTAINERS = frozenset({"docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "conmon"})


@dataclass(frozen=True, slots=True)
class Place:
    """`elsewhere` says why the server is not on this machine; `pid` is its process; `paths`: its paths are this machine's."""

    elsewhere: str = ""
    pid: int | None = None
    paths: bool = False


def place_of(server: Server, wish: Wish) -> Place:
    """Where a server is, from its address, the unit or container that was named, and who listens on its port."""
    if not server.is_local:
        return Place(ELSEWHERE)
    pid = wish.pid or services.main_pid(wish)
    if pid is None:
        pid = process.listener(server.port)
        name = process.name_of(pid) if pid is not None else ""
        if name in _TO_OTHER_MACHINES:
            return Place(f"the port is forwarded by {name}")
        pid = None if name in _INTO_CONTAINERS else pid
    return Place(pid=pid, paths=pid is not None and process.sees_this_machine(pid))
