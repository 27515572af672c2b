"""`nvidia-smi -x -q`, document types v10 to v13 and none (418): the same keys as the text, as paths.

Room: `parsers.snapshots`. Reads the first log of the file; `<processes>` without children says that nothing runs, a missing
element says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers.snapshots import detail
from kvaudit.parsers.snapshots.capture import Capture, Gpu, Process, Said, several
from kvaudit.parsers.snapshots.document import TextLine
from kvaudit.parsers.snapshots.values import mib, shown_type, visible_name, whole
from kvaudit.parsers.snapshots.xml_tree import Element, documents, logs


class _Lines:
    """Physical lines of the file, for excerpts."""

    def __init__(self, text: str) -> None:
        self.raw = text.split("\n")

    def of(self, element: Element) -> TextLine:
        raw = self.raw[element.line - 1] if 0 < element.line <= len(self.raw) else ""
        return TextLine(element.line, raw.strip(), raw, element.pointer)

    def said(self, element: Element) -> Said:
        line = self.of(element)
        return Said(element.text, line, max(0, line.raw.find(f"<{element.tag}")))


def parse(text: str, path: str) -> Capture | None:
    """The first log. Raises `InputError` when it is damaged; None where it holds no GPU."""
    return next(captures(text, path), None)


def captures(text: str, path: str) -> Iterator[Capture]:
    """Every log that holds a GPU. Raises `InputError` where one is damaged."""
    lines, count = _Lines(text), documents(text)
    for root in logs(text, path):
        if root.all("gpu"):
            capture = _capture(root, lines)
            if count > 1:
                capture.notes.append(several(count, "logs"))
            yield capture


def _capture(root: Element, lines: _Lines) -> Capture:
    gpus = root.all("gpu")
    capture = Capture(listed=all(gpu.all("processes") for gpu in gpus))
    for name, tags in (
        ("gpu.driver", ("kmd_version", "driver_version")),
        ("gpu.cuda", ("cuda_umd_version", "cuda_version")),
        ("clue.snapshot_time", ("timestamp",)),
    ):
        _host(capture, root, lines, name, tags)
    for order, element in enumerate(gpus):
        _gpu(capture, order, element, lines)
    attached = root.all("attached_gpus")
    capture.counted = not attached or attached[0].text == str(len(gpus))
    capture.empty = not capture.processes
    return capture


def _host(capture: Capture, root: Element, lines: _Lines, name: str, tags: tuple[str, ...]) -> None:
    for tag in tags:
        for element in root.all(tag):
            text = element.text.split(" [", 1)[0].strip()
            if text[:1].isdigit() or (name == "clue.snapshot_time" and text):
                said = lines.said(element)
                capture.say(name, text, said.line, said.position)


def _gpu(capture: Capture, order: int, element: Element, lines: _Lines) -> None:
    gpu = Gpu(order, lines.of(element))
    capture.gpus.append(gpu)
    cells = {path: lines.said(cell) for path, cell in element.cells().items() if not path.startswith("processes/")}
    detail.fill(gpu, cells, "xml")
    for processes in element.all("processes"):
        capture.process_line = capture.process_line or lines.of(processes)
        if not processes.children and processes.text not in {"", "None"}:
            capture.hidden.append("the process list is not printed")
        for info in processes.all("process_info"):
            _process(capture, order, info, lines)
    detail.judge(capture, cells, "xml")


def _process(capture: Capture, order: int, info: Element, lines: _Lines) -> None:
    held = {child.tag: child for child in info.children}
    pid = held.get("pid")
    number = whole(pid.text) if pid else None
    if pid is None or number is None:
        capture.hidden.append("a process without an id")
        return
    text = {tag: child.text for tag, child in held.items()}
    name, kind = visible_name(text.get("process_name")), shown_type(text.get("type"))
    capture.processes.append(Process(order, number, name, kind, mib(text.get("used_memory", "")), lines.of(pid)))
