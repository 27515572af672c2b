"""`kvaudit record` beside `grep -Ei`, `wc -l` and plain reading, in one run, as ratios; peak memory; start-up.

Usage: python -m benchmarks.speed [--sizes 10,200,1000] [--repeat 5] [--no-gz] [--folder DIR] [--json PATH] [--check]

Logs are generated (benchmarks/generated.py) in a temporary folder, or in DIR, where they stay for the next run. The commands take
turns, each as a process of its own that writes into a pipe (grep stops at the first match where its output goes to /dev/null);
of several rounds the fastest counts, which is one with the file in the page cache. Peak memory is the largest of one process, as
the operating system counts it. `--check`: exit code 1 where a limit of LIMITS is not kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.generated import compress, write_log

PATTERN = (
    "kv_cache_dtype|fp8 KV|GPU KV cache size|Maximum concurrency|attention backend|quantization=|tensor_parallel_size|"
    "max_num_seqs|enable_prefix_caching"
)
LIMITS = {"record ÷ grep": 1.5, "peak MiB": 150.0, "diff seconds": 0.45}
KVAUDIT = str(Path(sys.executable).parent / "kvaudit")
_READ = "import sys\nwith open(sys.argv[1], 'rb') as s:\n while s.read(1 << 20): pass"
_READ_GZ = "import gzip, sys\nwith gzip.open(sys.argv[1]) as s:\n while s.read(1 << 20): pass"
MEBIBYTE = 1 << 20
Command = tuple[str, ...]


@dataclass
class Best:
    """The fastest of several runs, in seconds, and the largest peak memory in MiB."""

    wall: float = float("inf")
    cpu: float = float("inf")
    peak: float = 0.0

    def take(self, wall: float, cpu: float, peak: float) -> None:
        """One more run."""
        self.wall, self.cpu, self.peak = min(self.wall, wall), min(self.cpu, cpu), max(self.peak, peak)


@dataclass
class Row:
    """One generated log and what each command took on it."""

    log: str
    megabytes: float
    best: dict[str, Best]

    def ratio(self, command: str) -> float:
        """Wall time of `record` in units of another command's."""
        return self.best["record"].wall / self.best[command].wall


def commands_of(path: Path) -> dict[str, Command]:
    """What is compared on one log."""
    if path.suffix == ".gz":
        unpacked = f"gzip -dc '{path}' | "
        return {
            "record": (KVAUDIT, "record", str(path)),
            "grep": ("sh", "-c", f"{unpacked}grep -Ei '{PATTERN}'"),
            "wc": ("sh", "-c", f"{unpacked}wc -l"),
            "read": (sys.executable, "-c", _READ_GZ, str(path)),
        }
    return {
        "record": (KVAUDIT, "record", str(path)),
        "grep": ("grep", "-Ei", PATTERN, str(path)),
        "wc": ("wc", "-l", str(path)),
        "read": (sys.executable, "-c", _READ, str(path)),
    }


def timed(command: Command) -> tuple[float, float, float]:
    """Wall and CPU seconds and peak MiB of one run; what it prints is read and thrown away. Raises where it fails."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as process:  # noqa: S603 - ours
        while process.stdout and process.stdout.read(MEBIBYTE):
            pass
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    if process.returncode not in (0, 1, 3):
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / MEBIBYTE


def _environment() -> dict[str, str]:
    """Byte code may be cached, as it is after an installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def in_turns(commands: dict[str, Command], repeat: int) -> dict[str, Best]:
    """Every command once a round, after one round that does not count."""
    best = {name: Best() for name in commands}
    for command in commands.values():
        timed(command)
    for _ in range(repeat):
        for name, command in commands.items():
            best[name].take(*timed(command))
    return best


def logs(folder: Path, sizes: Sequence[int], gz: bool) -> Iterator[tuple[str, Path]]:
    """The generated logs; those of an earlier run in the same folder are taken as they are."""
    wanted = [(f"{size} MB", size, "serving") for size in sizes]
    wanted += [(f"{size} MB, statistics only", size, "statistics") for size in sizes[1:2]]
    for name, size, mix in wanted:
        path = folder / f"{mix}-{size}.log"
        if not path.exists():
            write_log(path, size * 1_000_000, mix)
        yield name, path
        if gz and mix == "serving":
            packed = path.with_name(f"{path.name}.gz")
            yield f"{name}, gz", packed if packed.exists() else compress(path)


def startup(folder: Path, repeat: int) -> dict[str, Best]:
    """Commands that read little: what is left is start-up."""
    for name, seed in (("a", 2), ("b", 3)):
        write_log(folder / f"{name}.log", 100_000, restarts=0, seed=seed)
    arms = (str(folder / "a.log"), str(folder / "b.log"))
    return in_turns(
        {
            "python -c pass": (sys.executable, "-c", "pass"),
            "kvaudit --help": (KVAUDIT, "--help"),
            "kvaudit explain kv_cache.dtype": (KVAUDIT, "explain", "kv_cache.dtype"),
            "kvaudit record, 100 KB": (KVAUDIT, "record", arms[0]),
            "kvaudit diff, 100 KB each": (KVAUDIT, "diff", *arms),
        },
        repeat,
    )


def growth(rows: Sequence[Row], start: float) -> float | None:
    """Seconds a byte on the largest plain log in units of those on the second largest, start-up left out: 1 is linear."""
    plain = [row for row in rows if "," not in row.log][-2:]
    if len(plain) < 2:
        return None
    small, large = ((row.best["record"].wall - start) / row.megabytes for row in plain)
    return large / small


def table(rows: Sequence[Row], starts: dict[str, Best], grown: float | None) -> str:
    """The measurements as Markdown."""
    out = [
        "| log | record s | CPU s | grep -Ei s | wc -l s | reading s | record ÷ grep | ÷ wc | ÷ reading | peak MiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        record, others = row.best["record"], [row.best[name].wall for name in ("grep", "wc", "read")]
        seconds = " | ".join(f"{one:.2f}" for one in (record.wall, record.cpu, *others))
        ratios = " | ".join(f"{row.ratio(name):.2f}" for name in ("grep", "wc", "read"))
        out.append(f"| {row.log} | {seconds} | {ratios} | {record.peak:.0f} |")
    if grown is not None:
        out += ["", f"Seconds a byte on the largest plain log ÷ those on the next: {grown:.2f}, start-up left out."]
    out += ["", "| start-up | s | CPU s | peak MiB |", "|---|---|---|---|"]
    out += [f"| {name} | {best.wall:.3f} | {best.cpu:.3f} | {best.peak:.0f} |" for name, best in starts.items()]
    return "\n".join(out)


def broken(rows: Sequence[Row], starts: dict[str, Best]) -> list[str]:
    """The limits that were not kept, on the largest plain log."""
    largest = [row for row in rows if "," not in row.log][-1]
    found = {
        "record ÷ grep": largest.ratio("grep"),
        "peak MiB": max(row.best["record"].peak for row in rows),
        "diff seconds": starts["kvaudit diff, 100 KB each"].wall,
    }
    return [f"{name}: {value:.2f}, the limit is {LIMITS[name]}" for name, value in found.items() if value > LIMITS[name]]


def main() -> int:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,200,1000", help="MB of the generated logs")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--no-gz", action="store_true")
    parser.add_argument("--folder", help="where the logs are, or are put and stay")
    parser.add_argument("--json", help="write the measurements to this file too")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(options.folder or stack.enter_context(tempfile.TemporaryDirectory(prefix="speed-")))
        folder.mkdir(parents=True, exist_ok=True)
        starts = startup(folder, max(5, options.repeat))
        sizes = [int(one) for one in options.sizes.split(",")]
        rows = [
            Row(name, path.stat().st_size / 1e6, in_turns(commands_of(path), options.repeat))
            for name, path in logs(folder, sizes, not options.no_gz)
        ]
    grown = growth(rows, starts["kvaudit record, 100 KB"].wall)
    print(f"{os.cpu_count()} processors, Python {platform.python_version()}, {_version('grep')}, page cache warm\n")  # noqa: T201 - a script
    print(table(rows, starts, grown))  # noqa: T201 - a script
    if options.json:
        found: dict[str, Any] = {"rows": [asdict(row) for row in rows], "growth": grown}
        found["startup"] = {name: asdict(best) for name, best in starts.items()}
        Path(options.json).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    missed = broken(rows, starts)
    print("", *(missed or ["within the limits"]), sep="\n")  # noqa: T201 - a script
    return int(bool(missed) and options.check)


def _version(program: str) -> str:
    told = subprocess.run([program, "--version"], capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - a name of ours
    return told.stdout.partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
