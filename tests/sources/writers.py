"""Shared by the tests of sources: a small vLLM log of our own, and every way in which people's logs are wrapped.

The shapes are those of knowledge about wrappers; hosts, names, pids and times are invented.
"""

from __future__ import annotations

import bz2
import gzip
import html
import json
import lzma
from collections.abc import Callable

import zstandard

_STAMP = "2026-05-17T11:42:07Z"
SERVER, CORE = "(APIServer pid=4711) ", "(EngineCore pid=4822) "


def stamped(process: str, message: str, level: str = "INFO", file: str = "core.py:110") -> str:
    """A line as vLLM 0.10 and newer write it."""
    return f"{process}{level} 05-17 11:42:07 [{file}] {message}"


ENGINE_LINE = (
    "Initializing a V1 LLM engine (v0.21.0) with config: model='acme/otter-8b', speculative_config=None, "
    "tokenizer='acme/otter-8b', skip_tokenizer_init=False, tokenizer_mode=auto, revision=None, tokenizer_revision=None, "
    "trust_remote_code=False, dtype=torch.bfloat16, max_seq_len=16384, download_dir=None, load_format=auto, "
    "tensor_parallel_size=1, pipeline_parallel_size=1, data_parallel_size=1, quantization=fp8, enforce_eager=False, "
    "kv_cache_dtype=fp8_e4m3, device_config=cuda, seed=0, served_model_name=otter, enable_prefix_caching=True, "
    "enable_chunked_prefill=True, compilation_config={'mode': <CompilationMode.VLLM_COMPILE: 3>, 'cudagraph_mode': "
    "<CUDAGraphMode.FULL_AND_PIECEWISE: (2, 1)>, 'max_cudagraph_capture_size': 512}"
)
LOG = [
    stamped(SERVER, " ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.21.0", file="utils.py:299"),
    stamped(SERVER, "  █▄█▀ █     █     █     █  model   acme/otter-8b", file="utils.py:299"),
    stamped(
        SERVER,
        "non-default args: {'model': 'acme/otter-8b', 'max_model_len': 16384, 'kv_cache_dtype': 'fp8_e4m3', "
        "'served_model_name': [\"otter\"], 'gpu_memory_utilization': 0.85, 'max_num_seqs': 96}",
        file="utils.py:233",
    ),
    stamped(SERVER, "Resolved architecture: LlamaForCausalLM", file="model.py:555"),
    stamped(SERVER, "Using max model len 16384", file="model.py:1745"),
    stamped(SERVER, "Chunked prefill is enabled with max_num_batched_tokens=4096.", file="scheduler.py:226"),
    stamped(CORE, ENGINE_LINE),
    stamped(
        CORE, "Using FLASHINFER attention backend out of potential backends: ['FLASHINFER', 'TRITON_ATTN'].", file="cuda.py:310"
    ),
    stamped(CORE, "Model loading took 8.49 GiB memory and 5.120000 seconds", file="gpu_model_runner.py:4777"),
    # 24 GiB ÷ 393,216 tokens = 65,536 bytes per token; 393,216 ÷ 16,384 = 24
    stamped(CORE, "Available KV cache memory: 24.0 GiB", file="gpu_worker.py:436"),
    stamped(CORE, "GPU KV cache size: 393,216 tokens", file="kv_cache_utils.py:1319"),
    stamped(CORE, "Maximum concurrency for 16,384 tokens per request: 24.00x", file="kv_cache_utils.py:1324"),
    "Capturing CUDA graphs (decode, FULL):  50%|█████     | 2/4 [00:01<00:01]\rCapturing CUDA graphs (decode, FULL): 100%|"
    "██████████| 4/4 [00:02<00:00]"
    + stamped(CORE, "Graph capturing finished in 3 secs, took 0.61 GiB", file="gpu_model_runner.py:5912"),
    stamped(SERVER, "Starting vLLM server on http://0.0.0.0:8000", file="api_server.py:580"),
    f"{SERVER}INFO:     Started server process [4711]",
    f"{SERVER}INFO:     Application startup complete.",
    stamped(
        SERVER,
        "Engine 000: Avg prompt throughput: 811.2 tokens/s, Avg generation throughput: 402.6 tokens/s, Running: 7 reqs, "
        "Waiting: 0 reqs, GPU KV cache usage: 3.4%, Prefix cache hit rate: 41.5%",
        file="loggers.py:257",
    ),
]
Writer = Callable[[list[str]], bytes]


def plain(lines: list[str]) -> bytes:
    """The log as the engine wrote it."""
    return "".join(f"{line}\n" for line in lines).encode()


def _prefixed(prefix: Callable[[int], str]) -> Writer:
    return lambda lines: plain([f"{prefix(index)}{line}" for index, line in enumerate(lines)])


def _objects(make: Callable[[int, str], dict[str, object]]) -> Writer:
    return lambda lines: plain([json.dumps(make(index, line), ensure_ascii=False) for index, line in enumerate(lines)])


def docker(lines: list[str], limit: int = 16 * 1024) -> bytes:
    """Docker's json-file driver: records of at most 16 KiB, the last one of a line ends in a newline."""
    out = []
    for index, line in enumerate(lines):
        text = f"{line}\n"
        for start in range(0, len(text), limit):
            record = {"log": text[start : start + limit], "stream": "stderr", "time": f"2026-05-17T11:42:07.{index:09d}Z"}
            out.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    return plain(out)


def cri(lines: list[str], limit: int = 200) -> bytes:
    """containerd: P until the last part, F for it; another stream's lines may lie between."""
    out = []
    for index, line in enumerate(lines):
        stamp = f"2026-05-17T11:42:07.{index:09d}+02:00"
        parts = [line[start : start + limit] for start in range(0, len(line), limit)] or [""]
        for part in parts[:-1]:
            out.append(f"{stamp} stderr P {part}")
            out.append(f"{stamp} stdout F GET /metrics")
        out.append(f"{stamp} stderr F {parts[-1]}")
    return plain(out)


def _journal_bytes(lines: list[str]) -> bytes:
    """`journalctl -o json` writes messages with colours as lists of byte numbers."""
    out = []
    for line in lines:
        coloured = f"\x1b[0;36m{line[:12]}\x1b[0;0m{line[12:]}"
        out.append(json.dumps({"__REALTIME_TIMESTAMP": "1779010927", "_PID": "4711", "MESSAGE": list(coloured.encode())}))
    return plain(out)


def _array(lines: list[str]) -> bytes:
    return json.dumps(lines, indent=2, ensure_ascii=True).encode()


def _array_cut(lines: list[str]) -> bytes:
    """A pretty-printed array of lines of which somebody kept a piece."""
    listed = [f"    {json.dumps(line, ensure_ascii=False)}," for line in ["cut off in front", *lines, "cut off behind"]]
    return ("\n".join(listed)[12:-9]).encode()


def _array_compact(lines: list[str]) -> bytes:
    return json.dumps(lines).encode()


def _cloud_entry(index: int, line: str) -> dict[str, object]:
    return {
        "insertId": f"a{index:04d}x",
        "receiveTimestamp": f"2026-05-17T11:42:{index + 1:02d}.500000Z",
        "textPayload": line,
        "resource": {"type": "cloud_run_revision", "labels": {"service_name": "otter"}},
        "timestamp": f"2026-05-17T11:42:{index:02d}.000000Z",
        "severity": "DEFAULT",
        "logName": "projects/acme/logs/run.googleapis.com%2Fstderr",
    }


def _cloud(lines: list[str]) -> bytes:
    return json.dumps([_cloud_entry(index, line) for index, line in enumerate(lines)], indent=2).encode()


def cloud_newest_first(lines: list[str]) -> bytes:
    return json.dumps([_cloud_entry(index, line) for index, line in enumerate(lines)][::-1], indent=2).encode()


def _cloud_payload(index: int, line: str) -> dict[str, object]:
    entry = _cloud_entry(index, line)
    del entry["textPayload"]
    return {**entry, "jsonPayload": {"message": line, "logging.googleapis.com/labels": {}}}


def _notebook(lines: list[str]) -> bytes:
    source = [
        "from vllm import LLM\n",
        "# GPU KV cache size: 7 tokens, said the old INFO 01-01 00:00:00 [a.py:1] version 9.9.9\n",
    ]
    cell = {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": [f"{line}\n" for line in lines]}],
        "source": source,
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def _cut_at(width: int) -> Writer:
    """Copied from a terminal that is `width` columns wide."""

    def write(lines: list[str]) -> bytes:
        return plain([line[start : start + width] for line in lines for start in range(0, len(line), width)])

    return write


def _csv(lines: list[str]) -> bytes:
    """An export of a log search: the line is the last column, its quotes doubled."""
    rows = [f'{_STAMP},otter-0,vllm,"{line.replace(chr(34), chr(34) * 2)}"' for line in lines]
    return "\n".join(["Date,Host,Service,Message", *rows, ""]).encode()


WRAPPERS: dict[str, Writer] = {
    "none": plain,
    "ansi": lambda lines: plain([line.replace(SERVER, f"\x1b[0;36m{SERVER[:-1]}\x1b[0;0m ") for line in lines]),
    "docker-json": docker,
    "docker-json with spaces": _objects(lambda index, line: {"log": f"{line}\n", "stream": "stdout", "time": _STAMP}),
    "kubernetes fluent-bit": _objects(lambda _, line: {"@timestamp": _STAMP, "log": line, "kubernetes": {"pod_name": "otter-0"}}),
    "filebeat": _objects(lambda _, line: {"@timestamp": _STAMP, "message": line, "container": {"id": "5e"}, "agent": {}}),
    "loki": _objects(lambda _, line: {"labels": {"app": "otter"}, "line": line, "timestamp": _STAMP}),
    "cloudwatch": _objects(lambda index, line: {"timestamp": index, "message": line, "ingestionTime": index + 5}),
    "cri": cri,
    "cri in one part": _prefixed(lambda index: f"2026-05-17T11:42:07.{index:09d}Z stderr F "),
    "journald-short": _prefixed(lambda _: "May 17 11:42:07 bench-host python3.12[4711]: "),
    "journald-iso": _prefixed(lambda _: "2026-05-17T11:42:07+0200 bench-host vllm[4711]: "),
    "journald-full": _prefixed(lambda _: "Sun 2026-05-17 11:42:07 CEST bench-host vllm.sh[4711]: "),
    "journald-monotonic": _prefixed(lambda index: f"[ {1000 + index}.123456] bench-host vllm[4711]: "),
    "journald-json": _objects(
        lambda _, line: {
            "__CURSOR": "s=1",
            "__REALTIME_TIMESTAMP": "1779010927",
            "_PID": "4711",
            "MESSAGE": line,
            "_COMM": "vllm",
        }
    ),
    "journald-json as bytes": _journal_bytes,
    "kubectl-prefix": _prefixed(lambda _: "[pod/otter-7c9d-xk2/vllm] "),
    "kubectl-prefix with stamps": _prefixed(lambda index: f"[pod/otter-0/vllm] 2026-05-17T11:42:07.{index:09d}Z "),
    "kubectl timestamps": _prefixed(lambda index: f"2026-05-17T11:42:07.{index:09d}Z "),
    "github actions": _prefixed(lambda index: f"2026-05-17T11:42:07.{index:07d}Z "),
    "gitlab": _prefixed(lambda index: f"2026-05-17T11:42:07.{index:06d}Z 01O "),
    "jenkins": _prefixed(lambda index: f"[2026-05-17T11:42:07.{index:03d}Z] "),
    "compose": _prefixed(lambda _: "otter-1  | "),
    "compose one": _prefixed(lambda _: "otter_1 | "),
    "compose with stamps": _prefixed(lambda index: f"otter-1  | 2026-05-17T11:42:07.{index:09d}Z "),
    "compose in colour": _prefixed(lambda _: "\x1b[36motter-1  | \x1b[0m"),
    "swarm": _prefixed(lambda _: "otter.1.x8k2@node-a    | "),
    "github actions around compose": _prefixed(lambda index: f"2026-05-17T11:42:07.{index:07d}Z otter-1  | "),
    "docker-desktop": _prefixed(lambda index: f"2026-05-17 11:42:07.{index % 1000:03d} | "),
    "fastchat": _prefixed(lambda _: "2026-05-17 11:42:07 | ERROR | stderr | "),
    "lemonade": _prefixed(lambda index: f"2026-05-17 11:42:07.{index % 1000:03d} [Info] (Process) "),
    "pm2": _prefixed(lambda _: "0|otter  | "),
    "srun": _prefixed(lambda _: "0: "),
    "srun aligned": _prefixed(lambda _: " 3: "),
    "mpirun": _prefixed(lambda _: "[1,0]<stderr>:"),
    "mpirun with a blank": _prefixed(lambda _: "[1,0]<stdout>: "),
    "torchrun": _prefixed(lambda _: "[default0]:"),
    "kaggle": _prefixed(lambda index: f"{300 + index / 10:.1f}s {index + 290} "),
    "listing": _prefixed(lambda index: f"{index + 50}: "),
    "cat -n": _prefixed(lambda index: f"{index + 1:6d}\t"),
    "grep -n": _prefixed(lambda index: f"{index * 3 + 2}:"),
    "grep -n around journald": _prefixed(lambda index: f"{index * 3 + 2}:May 17 11:42:07 bench-host python3.12[4711]: "),
    "grep -H": _prefixed(lambda _: "logs/server.log:"),
    "quoted": _prefixed(lambda _: "> "),
    "csv": _csv,
    "grafana": lambda lines: json.dumps(
        [{"line": line, "timestamp": "1779010927", "fields": {"pod": "otter-0"}} for line in lines]
    ).encode(),
    "colours shown": lambda lines: "".join(f"^[[36m{line}^[[0m\n" for line in lines).encode(),
    "colours lost": lambda lines: "".join(f"[0;36m{line}[0;0m\n" for line in lines).encode(),
    "page source": lambda lines: "".join(f"{html.escape(line)}\n" for line in lines).encode(),
    "quoted twice": _prefixed(lambda _: ">> "),
    "indented": _prefixed(lambda _: "    "),
    "ray": _prefixed(lambda _: "\x1b[36m(ServeReplica:otter:LLM pid=909)\x1b[0m "),
    "ray on another node": _prefixed(lambda _: "(LLMServer pid=909, ip=10.4.0.9) "),
    "array": _array,
    "array cut at both ends": _array_cut,
    "array on one line": _array_compact,
    "cloud entries": _cloud,
    "cloud entries by line": _objects(_cloud_entry),
    "cloud payload": lambda lines: json.dumps([_cloud_payload(i, line) for i, line in enumerate(lines)], indent=2).encode(),
    "notebook": _notebook,
    "cut at 100 columns": _cut_at(100),
    "cut at 80 columns": _cut_at(80),
}
"""Name and writer of every wrapper."""

ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "utf-8": lambda data: data,
    "utf-8 with a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "utf-16-le as PowerShell writes it": lambda data: b"\xff\xfe" + data.replace(b"\n", b"\r\n").decode().encode("utf-16-le"),
    "utf-16-le without a mark": lambda data: data.decode().encode("utf-16-le"),
    "utf-16-be": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "a hole of NUL bytes in front": lambda data: b"\0" * 70_000 + data,
    "no newline at the end": lambda data: data.removesuffix(b"\n"),
}


def _zstd(data: bytes) -> bytes:
    """As the command `zstd` writes it, with a checksum."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def _frames(data: bytes) -> bytes:
    """Several Zstandard frames after each other, as rotation and `cat` make them."""
    return b"".join(_zstd(data[start : start + 700]) for start in range(0, len(data), 700))


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip in members": lambda data: gzip.compress(data[:500]) + gzip.compress(data[500:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": _zstd,
    "zstd in frames": _frames,
}
