"""Literals of documents that stand in an engine's log too, so that the scan of a log finds them.

Room: `parsers`. Constants only: whoever scans needs them, and loads no parser of a document for it.
"""

from __future__ import annotations

CLIENT_TABLE = b"Serving Benchmark Result"
"""Title of the table that vLLM's and SGLang's clients print at their end."""

MANAGER = (b"restart counter is at", b"Start request repeated too quickly")
"""systemd's messages about restarts, 229 to 257."""
