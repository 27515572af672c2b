"""GET requests of a server's endpoints: a whole answer within a time and a size, or a clear reason why not.

Room: `capture`, the only module that opens a connection. The standard library does it: one host, a handful of requests, no
sessions. Redirects are not followed (they may lead to another host), proxies are not asked for a loopback address, and nothing
but GET is ever sent.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message

from kvaudit import __version__
from kvaudit.errors import InputError, UsageError

LARGEST_ANSWER = 32 << 20
"""Bytes of one answer; the largest real one seen (metrics of eight engines) is 1.2 MB."""

_PORTION = 1 << 16


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: HTTP status, headers by lower-case name, body, and how long it took."""

    path: str
    status: int
    body: bytes
    seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """Whether the endpoint is there and said something."""
        return self.status == http.client.OK and bool(self.body.strip())


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect comes back as the answer it is."""

    def redirect_request(self, *_: object) -> None:
        return None


class Server:
    """One server by its base URL. `timeout` is for a whole answer, in seconds."""

    def __init__(self, url: str, timeout: float, key: str | None = None) -> None:
        self.base = checked_url(url)
        self.timeout = timeout
        self._headers = {"User-Agent": f"kvaudit/{__version__}", "Accept": "*/*"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        proxies = [urllib.request.ProxyHandler({})] if self.is_loopback else []
        self._opener = urllib.request.build_opener(_NoRedirects, *proxies)
        self._answered = ""

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, by its address."""
        host = urllib.parse.urlsplit(self.base).hostname or ""
        if host == "localhost":
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine: loopback, or an address that a socket of this machine can take."""
        host = urllib.parse.urlsplit(self.base).hostname or ""
        if self.is_loopback:
            return True
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.bind(address)
        except OSError:
            return False
        return True

    @property
    def port(self) -> int:
        """The port of the URL, or its scheme's own."""
        parts = urllib.parse.urlsplit(self.base)
        return parts.port or (443 if parts.scheme == "https" else 80)

    def get(self, path: str, limit: int = LARGEST_ANSWER) -> Answer:
        """The answer of one endpoint, whatever its status. Raises `InputError` where there is no whole answer."""
        begun = time.monotonic()
        request = urllib.request.Request(self.base + path, headers=self._headers)  # noqa: S310 - the scheme was checked
        try:
            status, headers, body = self._read(request, begun + self.timeout, limit)
        except (OSError, http.client.HTTPException) as error:
            raise InputError(self.base + path, self._why(error)) from error
        self._answered = path
        return Answer(path, status, body, time.monotonic() - begun, headers)

    def _read(self, request: urllib.request.Request, deadline: float, limit: int) -> tuple[int, dict[str, str], bytes]:
        try:
            response = self._opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _lower(error.headers), error.read(_PORTION)
        with response:
            body = bytearray()
            while portion := response.read1(_PORTION):
                body += portion
                if len(body) > limit:
                    raise OSError(f"the answer is larger than {limit >> 20} MiB; nothing of it was kept")
                if time.monotonic() > deadline:
                    raise TimeoutError
            expected = response.headers.get("Content-Length")
            if expected and expected.isdigit() and len(body) < int(expected):
                raise http.client.IncompleteRead(bytes(body), int(expected) - len(body))
            return response.status, _lower(response.headers), bytes(body)

    def _why(self, error: Exception) -> str:
        """What went wrong, and what to do about it, in one sentence."""
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError | socket.timeout):
            return f"no whole answer within {self.timeout:g} s; give it more with --timeout, or ask when the server is idle"
        if isinstance(reason, ConnectionRefusedError) and not self._answered:
            return "nothing listens there (connection refused): is the server up, and is it this port?"
        if self._answered:
            return f"the server answered {self._answered} and then went away ({_text(reason)}); nothing was kept"
        return f"no answer: {_text(reason)}"


def _text(reason: object) -> str:
    if isinstance(reason, http.client.IncompleteRead):
        return f"the answer broke off after {len(reason.partial):,} bytes"
    if isinstance(reason, OSError) and reason.strerror:
        return reason.strerror
    return str(reason) or type(reason).__name__


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def checked_url(url: str) -> str:
    """The base URL without a slash at its end, path kept. Raises `UsageError` for what is no address of a server."""
    full = url if "://" in url else f"http://{url}"
    try:
        parts = urllib.parse.urlsplit(full)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--url {url}: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise UsageError(f"--url {url}: give http://HOST:PORT")
    if parts.username or parts.password:
        raise UsageError("--url: a login in the URL would be written down; give the key with --api-key-env NAME")
    if parts.query or parts.fragment or any(character <= " " for character in full):
        raise UsageError(f"--url {url}: give the address of the server alone, http://HOST:PORT")
    return full.rstrip("/").removesuffix("/v1")
