"""One capture from beginning to end: ask the server, collect the pieces, write the manifest, let nothing half be seen.

Room: `capture`, its entry point. Order matters: the endpoints first, so that a wrong address costs nothing; once more the server
at the end, so that one that died meanwhile is no evidence of one run.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kvaudit.capture import packages, process, services
from kvaudit.capture.checkpoint import keep_checkpoint
from kvaudit.capture.clocks import clocks
from kvaudit.capture.endpoints import Asked, ask, keep_endpoints, served_path, still_there, version_of
from kvaudit.capture.engines import LOG_REMEDIES
from kvaudit.capture.fetching import Server
from kvaudit.capture.folder import RunFolder, run_folder
from kvaudit.capture.gpus import keep_gpus
from kvaudit.capture.logs import copy_log
from kvaudit.capture.placing import Place, place_of
from kvaudit.capture.wish import Wish
from kvaudit.parsers.endpoints.manifest import DOCUMENT, VERSION
from kvaudit.redaction import Redactor

_ON_HOST = "run kvaudit capture on the server's host, with --url http://127.0.0.1:PORT"


@dataclass(slots=True)
class Capture:
    """A capture in progress: the call, the server and what it answered, the folder, and the manifest as far as it is known."""

    wish: Wish
    server: Server
    asked: Asked
    folder: RunFolder
    redactor: Redactor
    started: float
    place: Place
    process_started: float | None = None
    manifest: dict[str, Any] = field(default_factory=dict)


def capture(wish: Wish, redactor: Redactor) -> dict[str, Any]:
    """Capture a server into a new run folder. Returns the manifest; raises `InputError` or `UsageError` and leaves nothing."""
    with run_folder(wish.output) as folder:
        run = begun(wish, folder, redactor)
        moment(run)
        surroundings(run)
        return finished(run)


def begun(wish: Wish, folder: RunFolder, redactor: Redactor) -> Capture:
    """The server asked who it is."""
    started = time.time()
    server = Server(wish.url, wish.timeout, wish.key)
    _check(wish)
    asked = ask(server)
    place = place_of(server, wish)
    since = process.started(place.pid) if place.pid is not None else None
    return Capture(wish, server, asked, folder, redactor, started, place, since)


def _check(wish: Wish) -> None:
    """Names that cannot be meant are refused before anything is asked."""
    for option, name in (("--unit", wish.unit), ("--container", wish.container), ("--pod", wish.pod)):
        if name is not None:
            services.checked_name(option, name)


def moment(run: Capture, suffix: str = "") -> None:
    """What changes from one moment to the next: endpoints and GPUs."""
    keep_endpoints(run.server, run.asked, run.folder, run.redactor, suffix)
    keep_snapshot(run, suffix)


def keep_snapshot(run: Capture, suffix: str = "") -> str | None:
    """The GPUs of this machine, where they are the server's; the file with the processes."""
    if run.place.elsewhere:
        run.folder.miss("GPU snapshot", run.place.elsewhere, _ON_HOST)
        return None
    return keep_gpus(run.folder, run.redactor, suffix)


def surroundings(run: Capture) -> None:
    """What stays as it is during a run, and the log, last of all."""
    _process(run)
    _checkpoint(run)
    _service_and_log(run)


def finished(run: Capture) -> dict[str, Any]:
    """The manifest, written into the folder. The server must still be there."""
    still_there(run.server, run.asked)
    if run.place.pid is not None and process.started(run.place.pid) != run.process_started:
        why = "the process of the server ended meanwhile, and another one answers"
        run.folder.miss("one server from beginning to end", why, "capture again; its log says why it ended")
    manifest = {
        "document": DOCUMENT,
        "version": VERSION,
        "kvaudit": _own_version(),
        "server": {"url": run.redactor.mask(run.server.base), "local": not run.place.elsewhere},
        "engine": {"name": run.asked.engine, "version": version_of(run.asked), "by": run.asked.by},
        "clocks": clocks(run.started, run.asked.answers.values()),
        **run.manifest,
        "files": run.folder.entries,
        "missing": run.folder.missing,
    }
    run.folder.finish(manifest)
    return manifest


def _own_version() -> str:
    from kvaudit import __version__

    return __version__


def _process(run: Capture) -> None:
    pid = run.place.pid
    if pid is None:
        why = run.place.elsewhere or "the server's process is not to be seen from here"
        run.folder.miss(
            "server process", why, _ON_HOST if run.place.elsewhere else "give --pid, as the user that runs the server"
        )
        return
    described = process.describe(pid, run.redactor)
    if not described["command"]:
        run.folder.miss("server process", f"process {pid} cannot be read", "run the capture as the user that runs the server")
        return
    run.manifest["process"] = described
    script = process.launch_script(pid, run.redactor)
    run.folder.add("process/launch.sh", script, "launch command", f"/proc/{pid}/cmdline and environ")
    run.manifest["packages"] = packages.versions(packages.package_folders(pid)) if run.place.paths else {}


def _checkpoint(run: Capture) -> None:
    if run.wish.model is not None:
        keep_checkpoint(run.wish.model, run.folder, run.redactor, named=True)
        return
    model = served_path(run.asked)
    if model is None or not run.place.paths:
        why = run.place.elsewhere or ("its path may be a container's own" if model else "the server does not name a path")
        run.folder.miss("checkpoint", why, "give --model with the folder of the checkpoint or the .gguf file")
        return
    if not Path(model).is_absolute():
        beside = Path(str(run.manifest.get("process", {}).get("folder") or "/")) / model
        model = str(beside) if beside.exists() else model
    keep_checkpoint(model, run.folder, run.redactor, named=False)


def _service_and_log(run: Capture) -> None:
    wish, folder, redactor = run.wish, run.folder, run.redactor
    if wish.log is not None:
        copy_log(Path(wish.log), folder, redactor)
    has_log = wish.log is not None
    if wish.unit:
        services.keep_unit(wish.unit, folder, redactor, with_log=not has_log)
    elif wish.container:
        services.keep_container(wish.container, folder, redactor, with_log=not has_log)
    elif wish.pod:
        services.keep_pod(wish.pod, folder, redactor, with_log=not has_log)
    elif not has_log:
        remedy = LOG_REMEDIES.get(run.asked.engine, "keep the server's log from its first line")
        folder.miss("log", "none was given", f"give --log, --unit, --container or --pod; {remedy}")
