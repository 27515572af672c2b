"""What a capture is asked for: the server, where its log is, where its checkpoint is.

Room: `capture`. Shapes only.
"""

from __future__ import annotations

from dataclasses import dataclass

TIMEOUT_SECONDS = 30.0
"""vLLM's /server_info collects the environment anew: four seconds on an idle machine."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One call of `kvaudit capture`. At most one of `unit`, `container` and `pod` is set; `log` wins over their log."""

    url: str
    output: str
    log: str | None = None
    model: str | None = None
    unit: str | None = None
    container: str | None = None
    pod: str | None = None
    pid: int | None = None
    key: str | None = None
    timeout: float = TIMEOUT_SECONDS
    keep: tuple[str, ...] = ()
    """Files to take along after the command of `--around`: what the benchmark wrote."""
