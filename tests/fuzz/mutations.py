"""Damage and malice: a sound document and a source of chance become a hostile one. The same seed gives the same bytes.

Damage is what happens to files (cut, doubled, overwritten, joined with another); malice is what somebody would put in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

SECRET = "hf_" + "Zq81LkWw90aXcPd7mmT4" + "bR5tY2uI8oP6eK"
"""Invented and planted; its shape gives it away even where a mutation tears it from its name."""

LARGEST = 1 << 20
"""Mutants are kept below a MiB; larger inputs have tests of their own."""

FRAGMENTS: tuple[bytes, ...] = (
    b"\x00" * 64,
    b"\r",
    b"\r\n",
    b"\n",
    b"\x1b[31m",
    b"\x1b]8;;http://e.example\x07link\x1b]8;;\x07",
    b"\x1b[2J\x1b[H",
    b"\x9b31m",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    "\u0663\u00b2\u00bd\u5146".encode(),
    b"::error file=x::owned",
    b"\n::add-mask::x\n",
    b"##[command]owned",
    b"<script>alert(1)</script>",
    b"![x](http://e.example/x.png)",
    b"[x](javascript:alert(1))",
    b"<img src=x onerror=alert(1)>",
    b"]]>",
    b"<![CDATA[",
    b'<!DOCTYPE a [<!ENTITY b "c">]>&b;',
    b"| a | b |",
    b"`" * 7,
    b"@acme/team #1 www.e.example",
    b"[bold red]x[/]",
    f"api_key={SECRET}".encode(),
    f" --api-key {SECRET} ".encode(),
    f"{{'hf_token': '{SECRET}'}}".encode(),
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b"9" * 400,
    b"9" * 5_000,
    b"1" + b"0" * 400,
    b"-0",
    b"0x7fffffffffffffff",
    b"1_000",
    b"0.1.2.3",
    b"1e-999",
    b"None",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"[" * 3_000,
    b"{" * 3_000,
    b"(" * 3_000,
    b'{"a":' * 500,
    b"'" * 99,
    b'"' * 99,
    b"\\" * 99,
    b"\\u0000\\ud800",
    b"*a",
    b"&a [*a, *a]",
    b"<<: *a",
    b"!!python/object/apply:os.system [x]",
    b"${X:-${X:-${X}}}",
    b"$(x)",
    b"%s%n%x",
    b"../../../../etc/passwd",
    b"x" * 70_000,
    b"a=b, " * 9_000,
)
"""What is put between or over the bytes of a document."""

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    10**30,
    10**400,
    -(10**18),
    1e308,
    5e-324,
    float("inf"),
    float("nan"),
    "",
    "auto",
    "9" * 5_000,
    "\u0663",
    "\x1b[31m\u202e\x00",
    "\ud800x",
    "1e999",
    [],
    {},
    [[]],
    [None],
    {"": None},
    [1, "a", {}],
    {"value": []},
)
"""What is put in the place of any value of a JSON document."""

_STILL_JSON = 0.6
"""Share of JSON documents that stay JSON: nearly all others are refused before anything is made of them."""
_NUMBER = re.compile(rb"\d[\d,.]*")
_KEYS = ("model_type", "num_hidden_layers", "fields", "value", "pid", "name", "", "\x00", "a" * 300)


def mutated(data: bytes, other: bytes, chance: Random) -> bytes:
    """A hostile variant of `data`; `other` is another document that parts are taken from."""
    if data[:1] in (b"{", b"[") and chance.random() < _STILL_JSON:
        return _json_changed(data, other, chance)[:LARGEST]
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        data = chance.choice(_MUTATIONS)(data, other, chance)[:LARGEST]
    return data


def _span(data: bytes, chance: Random, longest: int = 4_096) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randrange(1, longest))


def _truncated(data: bytes, _other: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _beheaded(data: bytes, _other: bytes, chance: Random) -> bytes:
    return data[chance.randrange(len(data) + 1) :]


def _cut_out(data: bytes, _other: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _doubled(data: bytes, _other: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 40)) + data[end:]


def _spliced(data: bytes, other: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _mixed(data: bytes, other: bytes, chance: Random) -> bytes:
    """Lines of two documents in turn, as two processes write into one file."""
    lines, more = data.split(b"\n"), other.split(b"\n")
    for line in more[: chance.randrange(1, 60)]:
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _flipped(data: bytes, _other: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 30)) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _shuffled(data: bytes, _other: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(chance.choice((1, 5, 50))):
        lines.insert(chance.randrange(len(lines)), lines.pop(chance.randrange(len(lines))))
    return b"\n".join(lines)


def _planted(data: bytes, _other: bytes, chance: Random) -> bytes:
    for _ in range(chance.choice((1, 2, 8))):
        at = chance.randrange(len(data) + 1)
        data = data[:at] + chance.choice(FRAGMENTS) + data[at:]
    return data


def _overwritten(data: bytes, _other: bytes, chance: Random) -> bytes:
    """A word, a number or a quoted text replaced by something else."""
    words = [one.span() for one in re.finditer(rb"[\w.+-]+|'[^'\n]*'|\"[^\"\n]*\"", data)]
    for start, end in sorted(chance.sample(words, min(len(words), chance.choice((1, 3)))), reverse=True):
        data = data[:start] + chance.choice(FRAGMENTS) + data[end:]
    return data


def _numbers(data: bytes, _other: bytes, chance: Random) -> bytes:
    """Numbers replaced by others: zero, negative, huge, fractions."""
    share = chance.choice((0.02, 0.2, 1.0))
    others = (b"0", b"-7", b"1", b"9" * 30, b"1e400", b"0.0000001", b"2147483648", b"18446744073709551616")

    def other(match: re.Match[bytes]) -> bytes:
        return chance.choice(others) if chance.random() < share else match.group()

    return _NUMBER.sub(other, data)


def _everywhere(data: bytes, _other: bytes, chance: Random) -> bytes:
    """A fragment at the start, or at the end, of every line."""
    fragment = chance.choice([one for one in FRAGMENTS if len(one) < 100])
    return data.replace(b"\n", fragment + b"\n" if chance.random() < 0.5 else b"\n" + fragment)


def _encoded(data: bytes, _other: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = chance.choice(("utf-16-le", "utf-16-be", "utf-16", "utf-32", "utf-7", "cp1252"))
    part = text[: len(text) // chance.choice((1, 2))]
    return part.encode(encoding, "replace") + text[len(part) :].encode()


def _json_changed(data: bytes, other: bytes, chance: Random) -> bytes:
    """Wrong types at any pointer of a JSON document; anything else is planted."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return _planted(data, other, chance)
    for _ in range(chance.choice((1, 1, 3, 10))):
        document = _changed(document, chance)
    indent = chance.choice((None, 2))
    try:
        return json.dumps(document, indent=indent, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")
    except (ValueError, RecursionError):
        return data


def _changed(document: Any, chance: Random) -> Any:
    places = _places(document)
    if not places or chance.random() < 0.02:
        return chance.choice(VALUES)
    holder, key = chance.choice(places)
    action = chance.random()
    if action < 0.15:
        del holder[key]
    elif action < 0.25 and isinstance(holder, dict):
        holder[chance.choice(_KEYS)] = holder.pop(key)
    elif action < 0.35:
        count = chance.choice((1, 2, 300))
        holder[key] = [holder[key]] * (min(count, 2) if isinstance(holder[key], dict | list) else count)
    elif action < 0.42:
        holder[key] = _deep(holder[key], chance.choice((3, 60, 400)))
    else:
        holder[key] = chance.choice(VALUES)
    return document


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every (holder, key) of a document, at most some thousand."""
    found: list[tuple[Any, Any]] = []
    stack = [document]
    while stack and len(found) < 5_000:
        held = stack.pop()
        keys = list(held) if isinstance(held, dict) else range(len(held)) if isinstance(held, list) else []
        found += [(held, key) for key in keys]
        stack += [held[key] for key in keys]
    return found


def _deep(value: Any, depth: int) -> Any:
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


_MUTATIONS: tuple[Callable[[bytes, bytes, Random], bytes], ...] = (
    _truncated,
    _beheaded,
    _cut_out,
    _doubled,
    _spliced,
    _mixed,
    _flipped,
    _shuffled,
    _planted,
    _overwritten,
    _overwritten,
    _numbers,
    _numbers,
    _everywhere,
    _encoded,
    _json_changed,
    _json_changed,
    _json_changed,
)
