"""Sends completions to a server of this machine, one after the other: `load.py URL MODEL COUNT warm|cold`.

`warm`: the same prompt each time, so that all but the first find it in the prefix cache. `cold`: another beginning each time.
"""

from __future__ import annotations

import http.client
import json
import sys
from urllib.parse import urlsplit

SENTENCE = "A wren is a small brown bird that builds more nests than it needs. "
REPEATS = 20


def main(url: str, model: str, count: str, kind: str) -> None:
    address = urlsplit(url)
    for number in range(int(count)):
        begin = "" if kind == "warm" else f"{number:04d} {kind} "
        body = json.dumps({"model": model, "prompt": begin + SENTENCE * REPEATS, "max_tokens": 4, "temperature": 0.0})
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=120)
        connection.request("POST", "/v1/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if response.status != http.client.OK:
            raise SystemExit(f"{response.status}: {answer[:200]!r}")
    sys.stdout.write(f"{count} requests, {kind}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
