"""What every output must be, whatever went in: well formed; no control character, runner command, markup or secret in it."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any
from xml.etree import ElementTree

from kvaudit.reports.text.layout import width_of

FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that no output holds, the newline aside."""

_COMMAND = re.compile(r"::(?:error|warning|notice)(?: [a-zA-Z]+=[^:,\r\n]*(?:,[a-zA-Z]+=[^:,\r\n]*)*)?::[^\r\n]*")
_RUNNER_MARKER = re.compile(r"##\w{0,40}\[")
_RUNNER_ORDER = re.compile(r"(?m)^\s*::")
_JSON = ("json", "sarif", "gitlab", "record")


def faults(format_: str, text: str, secrets: tuple[str, ...] = (), width: int | None = None) -> list[str]:
    """Everything that is wrong with an output, in a few words each."""
    return list(_faults(format_, text, secrets, width))


def _faults(format_: str, text: str, secrets: tuple[str, ...], width: int | None) -> Iterator[str]:
    found = sorted(f"U+{ord(one):04X}" for one in set(text) - {"\n"} if unicodedata.category(one) in FORBIDDEN)
    if found:
        yield f"{format_}: characters {found}"
    plain = html.unescape(text) if "&" in text else text
    yield from (f"{format_}: shows a secret" for secret in secrets if secret in plain)
    if not text.endswith("\n"):
        yield f"{format_}: does not end in a newline"
    if _RUNNER_MARKER.search(text):
        yield f"{format_}: an order to a runner (##[)"
    if format_ != "github" and _RUNNER_ORDER.search(text):
        yield f"{format_}: an order to a runner (::)"
    if format_ in _JSON:
        yield from _json_faults(format_, text)
    elif format_ == "junit":
        yield from _xml_faults(text)
    elif format_ == "github":
        yield from (f"github: no command: {line[:80]!r}" for line in text.splitlines() if not _COMMAND.fullmatch(line))
    elif format_ == "markdown":
        yield from _markdown_faults(text)
    elif width is not None and (long := [line for line in text.split("\n") if width_of(_armed(line)) > width]):
        yield f"{format_}: {len(long)} lines wider than {width}, such as {long[0][:60]!r}"


def _armed(line: str) -> str:
    """The line before its orders to a runner were disarmed, which widens it: safety goes before the margin."""
    return line.replace("\\x3a:", "::").replace("\\x23#", "##")


def _json_faults(format_: str, text: str) -> Iterator[str]:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        yield f"{format_}: no JSON: {error}"


def _xml_faults(text: str) -> Iterator[str]:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        yield "junit: a document type"
    try:
        ElementTree.fromstring(text)  # noqa: S314 - what we wrote ourselves
    except ElementTree.ParseError as error:
        yield f"junit: no XML: {error}"


@cache
def _markdown() -> Any:
    """CommonMark with the tables of GitHub."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _markdown_faults(text: str) -> Iterator[str]:
    """Only the markup that the renderer writes: no HTML but its own empty comment, no link, no image, no foreign heading."""
    for token in _markdown().parse(text):
        if token.type in ("html_block", "fence", "code_block", "blockquote_open", "hr"):
            yield f"markdown: {token.type}: {token.content[:60]!r}"
        for inner in token.children or ():
            if inner.type in ("image", "link_open") or (inner.type == "html_inline" and inner.content != "<!-- -->"):
                yield f"markdown: {inner.type}: {inner.content[:60]!r}"
