"""A/A: a log against itself through another wrapper, with process ids, ports and dates changed, is the same run.

No rule about the pair fires, nothing differs but what is cosmetic, and what is found of one arm is found of the other. Every
log of `fixtures/`, and where KVAUDIT_CORPUS names a collection a sample of its logs, chosen by the digest of their names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import re2

from kvaudit.audit.audit import Wishes, diff
from kvaudit.audit.report import Report
from kvaudit.audit.rules import bundled_rules
from kvaudit.errors import KvauditError
from kvaudit.record.build import Options, read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor
from tests.conftest import ROOT

PAIR_RULES = {rule.id for rule in bundled_rules() if rule.scope == "pair"}
ENGINES = ("vllm", "sglang", "tensorrt_llm", "llama_cpp", "ollama", "lmdeploy", "tgi")
LARGEST, SAMPLE = 400_000, 60
PLACE = re2.compile(r"(?i)port|host|pid|addr|endpoint|url|init_method|instance_id|uuid|ipc")
"""Settings of the raw configuration that say where a server listens or who it is."""

Line = Callable[[bytes, int], bytes]


def docker_timestamps(line: bytes, number: int) -> bytes:
    return b"2031-03-04T05:%02d:%02d.123456789Z " % (number // 60 % 60, number % 60) + line


def docker_json(line: bytes, number: int) -> bytes:
    text = line.decode("utf-8")
    return json.dumps({"log": f"{text}\n", "stream": "stderr", "time": f"2031-03-04T05:{number // 60 % 60:02d}:00.1Z"}).encode()


def journald(line: bytes, number: int) -> bytes:
    return b"Mar 04 05:%02d:%02d node7 serve[4242]: " % (number // 60 % 60, number % 60) + line


def cri(line: bytes, number: int) -> bytes:
    return b"2031-03-04T05:%02d:%02d.123456789Z stderr F " % (number // 60 % 60, number % 60) + line


def kubectl(line: bytes, _number: int) -> bytes:
    return b"[pod/bench-0/server] " + line


WRAPPERS: tuple[Line, ...] = (docker_timestamps, docker_json, journald, cri, kubectl)

CHANGES = (
    (re2.compile(rb"\b(pid[=: ]\s?)(\d+)"), lambda match: match.group(1) + b"%d" % (int(match.group(2)) + 1000)),
    (re2.compile(rb"(server process \[)(\d+)"), lambda match: match.group(1) + b"%d" % (int(match.group(2)) + 1000)),
    (re2.compile(rb"(\b(?:localhost|\d+\.\d+\.\d+\.\d+):)(\d{4,5})\b"), lambda match: match.group(1) + _port(match.group(2))),
    (re2.compile(rb"(\bport['\"]?[=: ]\s?)(\d{4,5})\b"), lambda match: match.group(1) + _port(match.group(2))),
    (re2.compile(rb"\b(\d\d)(-\d\d[ T]\d\d:\d\d:\d\d)"), lambda match: _month(match.group(1)) + match.group(2)),
)


def _port(digits: bytes) -> bytes:
    return b"%d" % ((int(digits) + 7) % 65_536 or 8007)


def _month(digits: bytes) -> bytes:
    month = int(digits)
    return b"%02d" % (month + 1 if month < 12 else 11)


def other_run(data: bytes, wrap: Line | None) -> bytes:
    """The same log of another start: ids, ports and dates moved, every line in a wrapper."""
    for pattern, change in CHANGES:
        data = pattern.sub(change, data)
    if wrap is None:
        return data
    lines = data.removesuffix(b"\n").split(b"\n")
    return b"\n".join(wrap(line, number) for number, line in enumerate(lines)) + b"\n"


def fixture_logs() -> list[Path]:
    return sorted(path for path in (ROOT / "fixtures").rglob("*.log") if "hostile" not in str(path))


def corpus_logs() -> list[Path]:
    """A sample of the labelled logs, a share of each engine, in an order that does not change."""
    named = os.environ.get("KVAUDIT_CORPUS")
    if not named:
        return []
    by_engine: dict[str, list[Path]] = {}
    for line in (Path(named) / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        path = Path(named) / label["file"]
        if label["engine"] in ENGINES and path.stat().st_size <= LARGEST:
            by_engine.setdefault(label["engine"], []).append(path)
    share = SAMPLE // max(1, len(by_engine))
    return [path for paths in by_engine.values() for path in sorted(paths, key=_digest)[:share]]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.name.encode()).hexdigest()


def read(path: Path) -> Record | None:
    """The record of one log, None where it is no evidence."""
    try:
        return read_arm([str(path)], Redactor(), Options(local_checkpoint=False))
    except KvauditError:
        return None


@pytest.mark.parametrize("log", fixture_logs(), ids=lambda path: path.relative_to(ROOT / "fixtures").as_posix())
def test_a_log_of_the_fixtures_is_the_same_run(log: Path, tmp_path: Path) -> None:
    for wrap in WRAPPERS:
        assert faults(log, tmp_path, wrap) == [], wrap.__name__


@pytest.mark.parametrize("log", corpus_logs() or [None], ids=lambda path: path.name if path else "none")
def test_a_real_log_is_the_same_run(log: Path | None, tmp_path: Path) -> None:
    if log is None:
        pytest.skip("KVAUDIT_CORPUS does not name a labelled collection")
    wrap = WRAPPERS[int(_digest(log), 16) % len(WRAPPERS)]
    assert faults(log, tmp_path, wrap) == [], wrap.__name__


def faults(log: Path, folder: Path, wrap: Line) -> list[str]:
    """Everything in which a log differs from itself."""
    first = read(log)
    if first is None:
        return []
    data, copy = log.read_bytes(), folder / "other.log"
    plain = all(source.wrapper is None for source in first.sources) and _is_text(data)
    copy.write_bytes(other_run(data, wrap if plain else None))
    second = read(copy)
    if second is None:
        return ["the other copy is not recognised"]
    return list(_faults(diff(first, second, bundled_rules(), Wishes())))


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not data.startswith(b"\xef\xbb\xbf") and b"\0" not in data and b"\r\n" not in data


def _faults(report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.rule in PAIR_RULES and finding.state == "fired":
            yield f"fired: {finding.rule}: {finding.message}"
    for one in report.differences:
        if one.class_ != "cosmetic" and one.proof != "equal":
            yield f"differs: {one.field} {one.values} {one.class_}"
    for other in report.other_differences:
        if not PLACE.search(f"{other.pointer} {other.values}"):
            yield f"differs: {other.source} {other.pointer} {other.values}"
    own = {arm: sorted((one.rule, one.severity, one.state) for one in report.findings if one.arms == [arm]) for arm in ("a", "b")}
    if own["a"] != own["b"]:
        yield f"findings about a: {own['a']}; about b: {own['b']}"
    if report.exit_code == 1 and not any(severity == "error" for _, severity, _ in own["a"]):
        yield "exit code 1 without a finding about an arm"
