"""A Hub for tests on this machine: as much of its HTTP interface as huggingface_hub asks for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "4f" * 20


class Repositories:
    """Files by repository; `gated` ones are listed and refused, others are not there. `fetched` counts bytes by file."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, bytes]] = {}
        self.gated: set[str] = set()
        self.fetched: dict[str, int] = {}
        self.asked: list[str] = []


@contextmanager
def serving(repositories: Repositories) -> Iterator[str]:
    """The address of a running server."""

    class Handler(_Handler):
        held = repositories

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    held: Repositories
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(body)

    def _answer(self, body: bytes = b"") -> None:
        path = self.path.partition("?")[0]
        self.held.asked.append(f"{self.command} {path}")
        if path.startswith("/api/models/"):
            self._api(path.removeprefix("/api/models/"), body)
            return
        repository, _, rest = path.lstrip("/").partition("/resolve/")
        revision, _, name = rest.partition("/")
        content = self.held.files.get(repository, {}).get(name)
        if repository in self.held.gated:
            self._refuse(403, "GatedRepo")
        elif repository not in self.held.files:
            self._refuse(401, "RepoNotFound")
        elif revision not in ("main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        elif content is None:
            self._refuse(404, "EntryNotFound")
        else:
            self._file(f"{repository}/{name}", content)

    def _api(self, path: str, body: bytes) -> None:
        repository = "/".join(path.split("/")[:2])
        files = self.held.files.get(repository)
        revision = path.split("/")[3] if path.count("/") >= 3 else "main"
        if files is None:
            self._refuse(401, "RepoNotFound")
        elif revision not in ("main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        elif "/paths-info/" in path or "/tree/" in path:
            self._json([self._entry(name, content) for name, content in files.items()])
        else:
            siblings = [{"rfilename": name, "size": len(content)} for name, content in files.items()]
            self._json(
                {"id": repository, "modelId": repository, "sha": COMMIT, "siblings": siblings, "private": False, "tags": []}
            )

    def _entry(self, name: str, content: bytes) -> dict[str, Any]:
        return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}  # noqa: S324 - git's

    def _file(self, key: str, content: bytes) -> None:
        start, end, status = 0, len(content), 200
        if (wanted := self.headers.get("Range", "")).startswith("bytes="):
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, end, status = int(first), min(int(last) + 1 if last else len(content), len(content)), 206
        part = content[start:end]
        self.send_response(status)
        self.send_header("ETag", f'"{hashlib.sha1(content).hexdigest()}"')  # noqa: S324 - git's
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
        self._send(part)
        if self.command == "GET":
            self.held.fetched[key] = self.held.fetched.get(key, 0) + len(part)

    def _json(self, value: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self._send(json.dumps(value).encode())

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        if code == "EntryNotFound":
            self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("X-Error-Message", code)
        self._send(b"{}")

    def _send(self, content: bytes) -> None:
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""
