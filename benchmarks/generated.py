"""Generated vLLM logs of any size: the start of the demo's log, then hours of service, restarts between.

An hour of `serving` has a statistics line every ten seconds and forty access lines around each; an hour of `statistics` has
nothing else. Sixteen different hours follow each other with running dates, so nothing is the same text twice.
"""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

START = Path(__file__).resolve().parent.parent / "fixtures/demo/good/a/server.log"
_HOUR = b"06-04 09"
"""Month, day and hour in the start and in every generated line, replaced as the log goes on."""
_INTERVALS = 360
_HOURS = 16
_SERVER = "(APIServer pid=418) INFO"
MIXES = {"serving": 40, "statistics": 0}
"""Access lines for each statistics line."""


def write_log(path: Path, size: int, mix: str = "serving", restarts: int = 3, seed: int = 1) -> None:
    """A log of about `size` bytes in which the server starts `restarts` + 1 times."""
    generator = random.Random(seed)  # noqa: S311 - not for secrets
    hours = [_hour(generator, MIXES[mix]) for _ in range(min(_HOURS, 1 + size // 200_000))]
    start = b"".join(line for line in START.read_bytes().splitlines(keepends=True) if not _is_service(line))
    written, next_start = 0, 0
    with path.open("wb") as stream:
        for count, stamp in enumerate(_stamps()):
            if written >= next_start:
                written += stream.write(start.replace(_HOUR, stamp))
                next_start += size // (restarts + 1) + 1
            hour = hours[count % len(hours)].replace(_HOUR, stamp)[: max(0, size - written)]
            written += stream.write(hour[: hour.rfind(b"\n") + 1])
            if size - written < 1_000:
                return


def compress(path: Path) -> Path:
    """The same file as `.gz` beside it, at the level that log rotation uses."""
    packed = path.with_name(f"{path.name}.gz")
    with path.open("rb") as source, gzip.open(packed, "wb", compresslevel=6) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    return packed


def _is_service(line: bytes) -> bool:
    return b"HTTP/1.1" in line or b"Avg prompt throughput" in line


def _stamps() -> Iterator[bytes]:
    while True:
        for month in range(1, 13):
            for day in range(1, 29):
                for hour in range(24):
                    yield f"{month:02d}-{day:02d} {hour:02d}".encode()


def _hour(generator: random.Random, access: int) -> bytes:
    lines = []
    for interval in range(_INTERVALS):
        lines += [_access(generator) for _ in range(access)]
        lines.append(_statistics(generator, f"{interval // 6:02d}:{interval % 6 * 10:02d}"))
    return "".join(lines).encode()


def _access(generator: random.Random) -> str:
    client = f"192.0.2.{generator.randrange(1, 255)}:{generator.randrange(20_000, 60_000)}"
    return f'{_SERVER}:     {client} - "POST /v1/completions HTTP/1.1" 200 OK\n'


def _statistics(generator: random.Random, clock: str) -> str:
    def figure(most: float) -> str:
        return f"{generator.uniform(0, most):.1f}"

    return (
        f"{_SERVER} {_HOUR.decode()}:{clock} [loggers.py:271] Engine 000: Avg prompt throughput: {figure(9000)} tokens/s, "
        f"Avg generation throughput: {figure(2000)} tokens/s, Running: {generator.randrange(65)} reqs, "
        f"Waiting: {generator.randrange(9)} reqs, GPU KV cache usage: {figure(99)}%, Prefix cache hit rate: {figure(40)}%\n"
    )
