"""Starts real servers on free ports of this machine, waits until they answer, and ends them with everything they started."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENGINE_SIDE = Path(__file__).parent / "engine_side"
LLAMA_COMMON = ("n_ctx=8192", "n_parallel=2", "verbosity=4", "endpoint_metrics=1")
"""What all servers of llama.cpp are started with; 4 is the least verbosity that prints the KV cache."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers: its address, its log, its process."""

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def complete(self, model: str, prompt: str, tokens: int = 8) -> dict[str, Any]:
        """One completion."""
        body = json.dumps({"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 0.0})
        status, answer = asked(self.port, "POST", "/v1/completions", body)
        assert status == 200, answer
        document = json.loads(answer)
        assert isinstance(document, dict)
        return document


def asked(port: int, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
    """Status and body of one request to a server of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def free_port() -> int:
    """A TCP port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_gguf(environment: Path, path: Path) -> None:
    """Write the tiny model of llama.cpp's servers."""
    command = [str(environment / "bin/python"), str(ENGINE_SIDE / "tiny_gguf.py"), str(path)]
    subprocess.run(command, check=True, timeout=120)


@contextmanager
def llama_cpp(environment: Path, model: Path, log: Path, *settings: str, append: bool = False) -> Iterator[Running]:
    """llama.cpp's server with settings such as `n_ctx=8192`."""
    port = free_port()
    command = [environment / "bin/python", ENGINE_SIDE / "llama_server.py", model, port, *settings]
    with _started(command, log, port, {}, 60, append=append) as running:
        yield running


@contextmanager
def vllm(environment: Path, model: Path, log: Path, *flags: str, **variables: str) -> Iterator[Running]:
    """vLLM's CPU build with 1 GiB of KV cache, served as `tiny`."""
    port = free_port()
    settings = {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_SERVER_DEV_MODE": "1",
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "OMP_NUM_THREADS": "2",
        **variables,
    }
    address = ["--host", "127.0.0.1", "--port", port]
    command = [environment / "bin/vllm", "serve", model, *address, "--served-model-name", "tiny", "--enforce-eager", *flags]
    with _started(command, log, port, settings, 420) as running:
        yield running


@contextmanager
def together(*starting: AbstractContextManager[Running]) -> Iterator[list[Running]]:
    """Servers that come up at the same time: most of a start is waiting for one processor."""
    with ExitStack() as stack, ThreadPoolExecutor(len(starting)) as pool:
        yield list(pool.map(stack.enter_context, starting))


def fp8_variables() -> dict[str, str]:
    """What lets the CPU build plan an FP8 KV cache on this machine; nothing where its processor has kernels for it."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return {} if "avx512" in flags or "amx_tile" in flags else {"KVAUDIT_LIFT_CHECK": "1"}


def failed_start(command: Sequence[object], log: Path, seconds: int = 120, **variables: str) -> int:
    """Start a server that cannot run, appending to its log as a supervisor does. Returns its exit code."""
    with log.open("ab") as stream:
        done = subprocess.run(
            [*map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stream,
            timeout=seconds,
            check=False,
            env={**os.environ, **variables},
        )
    return done.returncode


@contextmanager
def _started(
    command: Sequence[object], log: Path, port: int, variables: dict[str, str], seconds: int, *, append: bool = False
) -> Iterator[Running]:
    with log.open("ab" if append else "wb") as stream:
        process = subprocess.Popen(
            [*map(str, command)],
            stdin=subprocess.PIPE,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            env={**os.environ, **variables},
        )
    running = Running(port, log, process)
    try:
        _wait(running, seconds)
        yield running
    finally:
        _end(process)


def _wait(running: Running, seconds: int) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if running.process.poll() is not None:
            break
        try:
            if asked(running.port, "GET", "/health")[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.2)
    tail = running.log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise AssertionError(f"the server did not come up within {seconds} s (exit {running.process.poll()}):\n{tail}")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        process.stdin.close()
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None or sign == signal.SIGKILL:
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                return
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            continue
