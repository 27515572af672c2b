"""The unit, container or pod that runs the server: its description, and its log.

Room: `capture`. Only commands that look: `systemctl show` and `cat`, `journalctl`, `docker inspect` and `logs`, `kubectl get`,
`describe` and `logs`. Each is optional; what cannot be had is a missing piece with its remedy.
"""

from __future__ import annotations

from contextlib import ExitStack
from itertools import chain

from kvaudit.capture.folder import RunFolder, Writing
from kvaudit.capture.logs import keep_lines, lines_of
from kvaudit.capture.masking import masked_json, masked_text
from kvaudit.capture.programs import found, output_of, streaming
from kvaudit.capture.wish import Wish
from kvaudit.errors import UsageError
from kvaudit.redaction import Redactor

_MOST_JOURNAL_LINES = 1_000_000


def checked_name(option: str, name: str) -> str:
    """A name of a unit, container or pod. Raises `UsageError` for what would be read as an option or a path."""
    if not name or name.startswith("-") or any(not (letter.isalnum() or letter in "._-@:\\/") for letter in name):
        raise UsageError(f"{option} {name!r}: no name of that kind")
    return name


def main_pid(wish: Wish) -> int | None:
    """The main process of the unit or container that was named; None where the manager names none."""
    said = b""
    if wish.unit:
        said = output_of(["systemctl", "show", "--property=MainPID", "--value", checked_name("--unit", wish.unit)]).data
    elif wish.container:
        name = checked_name("--container", wish.container)
        said = output_of([_container_program(), "inspect", "--format", "{{.State.Pid}}", name]).data
    text = said.decode("ascii", "replace").strip()
    return int(text) if text.isdigit() and 0 < int(text) < 1 << 31 else None


def _container_program() -> str:
    return "docker" if found("docker") or not found("podman") else "podman"


def keep_unit(unit: str, folder: RunFolder, redactor: Redactor, *, with_log: bool) -> None:
    """A systemd unit: what the manager holds, the files it read, the journal since boot."""
    name = checked_name("--unit", unit)
    scope = [] if output_of(["systemctl", "cat", name]).data else ["--user"]
    _keep(["systemctl", *scope, "show", name], "service/systemctl-show.txt", folder, redactor)
    _keep(["systemctl", *scope, "cat", name], f"service/{name.rpartition('/')[2]}", folder, redactor)
    if not with_log:
        return
    which = [f"--user-unit={name}"] if scope else [f"--unit={name}"]
    journal = ["journalctl", *which, "--boot", "--no-pager", "--output=short-iso-precise", f"--lines={_MOST_JOURNAL_LINES}"]
    _keep_log(journal, folder, redactor, "read the journal as a member of the group systemd-journal, or give --log FILE")


def keep_container(container: str, folder: RunFolder, redactor: Redactor, *, with_log: bool) -> None:
    """A container of docker or podman: its inspection and its log."""
    name = checked_name("--container", container)
    program = _container_program()
    _keep([program, "inspect", "--type", "container", name], "service/docker-inspect.json", folder, redactor)
    if with_log:
        _keep_log([program, "logs", name], folder, redactor, "may you speak to the daemon? else give --log FILE", join=True)


def keep_pod(pod: str, folder: RunFolder, redactor: Redactor, *, with_log: bool) -> None:
    """A pod: its object, its description, the log of the previous container and of this one, oldest first."""
    namespace, slash, name = checked_name("--pod", pod).partition("/")
    if not slash or not namespace or not name:
        raise UsageError(f"--pod {pod}: give NAMESPACE/NAME")
    which = ["--namespace", namespace]
    _keep(["kubectl", "get", "pod", name, *which, "--output", "json"], "service/pod.json", folder, redactor)
    _keep(["kubectl", "describe", "pod", name, *which], "service/pod-description.txt", folder, redactor)
    if not with_log:
        return
    command = ["kubectl", "logs", name, *which]
    _keep_log(command, folder, redactor, "may you read this pod's log? else give --log FILE", before=[*command, "--previous"])


def _keep(command: list[str], name: str, folder: RunFolder, redactor: Redactor) -> None:
    output = output_of(command)
    if output.why:
        folder.miss(" ".join(command), output.why, f"where it works: {' '.join(command)} > {name.rpartition('/')[2]}")
        return
    mask = masked_json if name.endswith(".json") else masked_text
    folder.add(name, mask(output.data, redactor), "service", " ".join(command))


def _keep_log(
    command: list[str],
    folder: RunFolder,
    redactor: Redactor,
    remedy: str,
    *,
    join: bool = False,
    before: list[str] | None = None,
) -> None:
    """The log that a command prints, behind that of another command where it prints one."""
    with ExitStack() as running:
        outputs = [running.enter_context(streaming(one, join=join)) for one in (before, command) if one]
        lines = chain.from_iterable(lines_of(output.stdout) for output in outputs if output.stdout)
        first = next(lines, None)
        if first is not None:
            shown = " after ".join(" ".join(one) for one in (command, before) if one)
            keep_lines(chain([first], lines), Writing(folder, redactor), shown)
    if first is not None and outputs[-1].why:
        folder.miss("the end of the log", outputs[-1].why, remedy)
    if first is None:
        folder.miss("log", outputs[-1].why or f"{' '.join(command)} prints nothing", remedy)
