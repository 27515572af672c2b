"""The process that wrote a line: `(EngineCore_DP0 pid=316)` becomes a name, a pid and the rank its values are about.

Room: vLLM's process prefixes (0.4.2 to 0.33.0) and Ray's around them. Nested prefixes: the innermost speaks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from kvaudit.patterns import LatePattern

_PREFIX = LatePattern(r"\((?P<name>[A-Za-z][\w.:-]*(?: rank=\d+)?)? ?pid=(?P<pid>\d{1,10})(?:, ip=[^)\s]{1,64})?\) ?")
_NAME, _PID = _PREFIX.groupindex["name"], _PREFIX.groupindex["pid"]
_RANK = LatePattern(r"^(?:Vllm)?Worker(?:Process)?(?: rank=(?P<rank>\d+)|-(?P<index>\d+)|(?P<parts>(?:_[A-Z]{2,4}\d+)+))$")
_ENGINE = LatePattern(r"^EngineCore(?:_DP(?P<data>\d{1,6})|_(?P<index>\d{1,6}))?$")
_TENSOR = LatePattern(r"(?:^|_)TP(?P<rank>\d{1,6})(?:_|$)")

_SHORT = 200
"""Texts up to here are worth remembering."""

_FRONTENDS = ("APIServer", "MainProcess", "ApiServer_")
_SHARED_NAMES = ("Worker", "VllmWorker", "VllmWorkerProcess", "RayWorkerWrapper", "RayWorkerProc", "MainProcess", "")


@dataclass(frozen=True, slots=True)
class Process:
    """A process as its lines name it. `name` is empty where only a pid is printed."""

    name: str
    pid: int

    @property
    def is_frontend(self) -> bool:
        """An API server or the main process: one start has one main process and its numbered API servers."""
        return self.name.startswith(_FRONTENDS)

    @property
    def is_engine(self) -> bool:
        """An engine core."""
        return bool(_ENGINE.search(self.name))

    @property
    def is_unique(self) -> bool:
        """Whether one start has at most one process of this name."""
        return self.name not in _SHARED_NAMES and (self.is_frontend or self.is_engine or bool(_RANK.search(self.name)))

    @property
    def tensor_rank(self) -> int | None:
        """The tensor-parallel rank in the name, such as 1 of `Worker_DP0_TP1`."""
        match = _TENSOR.search(self.name)
        return int(match.group("rank")) if match else None

    @property
    def data_rank(self) -> int | None:
        """The data-parallel rank of an engine core, such as 1 of `EngineCore_DP1`."""
        match = _ENGINE.search(self.name)
        return int(match.group("data")) if match and match.group("data") else None

    @property
    def scope(self) -> str | None:
        """The rank that values of this process are about: `TP1`, `DP0 EP0`, `rank 2`, `pid 7`; None for the only one."""
        if match := _RANK.search(self.name):
            if match.group("parts"):
                return str(match.group("parts")).strip("_").replace("_", " ")
            return f"rank {match.group('rank') or match.group('index')}"
        if match := _ENGINE.search(self.name):
            return f"DP{match.group('data')}" if match.group("data") else None
        return f"pid {self.pid}" if self.name in _SHARED_NAMES and self.name not in ("", "MainProcess") else None


def innermost(text: str) -> Process | None:
    """The last process prefix in `text`, which is the one nearest to the message."""
    return _innermost(text) if len(text) <= _SHORT else _innermost.__wrapped__(text)


@lru_cache(maxsize=256)
def _innermost(text: str) -> Process | None:
    """Line after line begins with the same few prefixes."""
    found = None
    for found in _PREFIX.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return Process(found.group(_NAME) or "", int(found.group(_PID))) if found else None


def behind_prefixes(text: str) -> str:
    """The text after the last process prefix; whatever a wrapper wrote in front of it is gone too."""
    end = 0
    for found in _PREFIX.finditer(text):
        end = found.end()
    return text[end:]


def process_ids(processes: Iterable[Process]) -> dict[str, list[int]]:
    """Process ids by name, in order; lines that name only a pid are under `unnamed`."""
    found: dict[str, list[int]] = {}
    for process in sorted(processes, key=lambda item: (item.name, item.pid)):
        found.setdefault(process.name or "unnamed", []).append(process.pid)
    return {name: pids[:256] for name, pids in found.items()}
