"""A capture around a command: a moment before, the command, a moment after, and everything else that a capture holds.

Room: `capture`, its second entry point. The command runs exactly once, and only where the moment before could be captured.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kvaudit.capture import passing
from kvaudit.capture.clocks import iso
from kvaudit.capture.endpoints import ask, keep_endpoints, keep_metrics
from kvaudit.capture.folder import run_folder
from kvaudit.capture.masking import masked_json, masked_text
from kvaudit.capture.session import Capture, begun, finished, keep_snapshot, surroundings
from kvaudit.capture.window import window_of
from kvaudit.capture.wish import Wish
from kvaudit.errors import KvauditError
from kvaudit.redaction import Redactor

BEFORE, AFTER = "-before", "-after"
_LARGEST_KEPT = 256 << 20


@dataclass(frozen=True, slots=True)
class Around:
    """How a capture around a command ended: the command's exit code, and the manifest or why there is none."""

    code: int
    manifest: dict[str, Any] | None
    error: KvauditError | None = None


def around(wish: Wish, command: list[str], redactor: Redactor) -> Around:
    """Capture, run, capture. Raises `KvauditError` where the command never ran; what fails later comes back beside its code."""
    code: int | None = None
    try:
        with run_folder(wish.output) as folder:
            run = begun(wish, folder, redactor)
            before = _moment(run, BEFORE)
            started = time.time()
            ended = passing.run(command)
            code = ended.code
            _keep_command(run, command, ended, started)
            run.asked = ask(run.server)
            keep_endpoints(run.server, run.asked, folder, redactor, AFTER)
            after = keep_snapshot(run, AFTER)
            surroundings(run)
            _take_along(run)
            run.manifest["around"]["window"] = _window(run, (before, after))
            return Around(code, finished(run))
    except KvauditError as error:
        if code is None:
            raise
        return Around(code, None, error)


def _window(run: Capture, snapshots: tuple[str | None, str | None]) -> dict[str, Any]:
    try:
        return window_of(run.folder.path, snapshots, run.redactor)
    except Exception as error:  # a fault in reading must not cost the evidence of a run that is over
        return {"refused": f"the folder could not be read: {run.redactor.excerpt(str(error))}"}


def _moment(run: Capture, suffix: str) -> str | None:
    keep_metrics(run.server, run.asked, run.folder, run.redactor, suffix)
    return keep_snapshot(run, suffix)


def _keep_command(run: Capture, command: list[str], ended: passing.Ended, started: float) -> None:
    for name, tail in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if data := tail.kept():
            run.folder.add(f"command/{name}.txt", masked_text(data, run.redactor), f"{name} of the command", command[0])
    run.manifest["around"] = {
        "command": run.redactor.document(command),
        "exit_code": ended.code,
        "started": iso(started),
        "ended": iso(time.time()),
    }
    if ended.why:
        run.manifest["around"]["why"] = ended.why


def _take_along(run: Capture) -> None:
    """Files that the command wrote, by `--keep`."""
    for given in run.wish.keep:
        path = Path(given)
        try:
            size = path.stat().st_size
            data = path.read_bytes() if path.is_file() and size <= _LARGEST_KEPT else None
        except OSError as error:
            run.folder.miss(given, error.strerror or str(error), "was it written by the command?")
            continue
        if data is None:
            run.folder.miss(given, "no regular file, or larger than 256 MiB", "copy it beside the folder")
            continue
        mask = masked_json if path.suffix == ".json" else masked_text
        name = _free(run, path.name)
        run.folder.add(name, mask(data, run.redactor), "written by the command", run.redactor.mask(given))


def _free(run: Capture, name: str) -> str:
    """A place for a file of that name that no other piece has."""
    taken = {entry["path"] for entry in run.folder.entries}
    places = (f"command/{number}-{name}" if number else f"command/{name}" for number in range(len(taken) + 1))
    return next(place for place in places if place not in taken)
