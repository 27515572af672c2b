"""Runs in the engine's environment: llama.cpp's own server in this process until its standard input closes.

`llama_server.py MODEL PORT SETTING=VALUE …`; the log goes to standard error, as the engine writes it. Settings are those of
`xllamacpp.CommonParams`; `kv=q8_0` sets both cache types.
"""

from __future__ import annotations

import sys
from typing import Any


def main(model: str, port: str, *settings: str) -> None:
    import xllamacpp  # type: ignore[import-not-found,unused-ignore]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.port = int(port)
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    for setting in settings:
        name, _, value = setting.partition("=")
        apply(xllamacpp, parameters, name, value)
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


def apply(xllamacpp: Any, parameters: Any, name: str, value: str) -> None:
    if name == "kv":
        kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{value.upper()}")
        parameters.cache_type_k = parameters.cache_type_v = kind
    else:
        setattr(parameters, name, int(value))


if __name__ == "__main__":
    main(*sys.argv[1:])
