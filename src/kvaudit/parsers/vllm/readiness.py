"""Whether `Application startup complete.` speaks of this vLLM server: other uvicorn applications write the same line.

Room: one question about one record and one start.
"""

from __future__ import annotations

from kvaudit.parsers.vllm.messages import Record
from kvaudit.parsers.vllm.start import StartBuilder


def accepts_startup_complete(start: StartBuilder, record: Record) -> bool:
    """Whether the line proves that this start serves."""
    if record.process is not None:
        return record.process.pid in start.pids and (start.life.server_starting or start.has_engine_content)
    known = {process.pid for process in start.processes if process.is_frontend}
    if known and start.life.server_pids and not known & set(start.life.server_pids):
        return False
    return start.life.server_starting or "capacity" in start.reached
