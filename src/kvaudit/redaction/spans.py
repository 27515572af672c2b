"""Which part of a matched value is the secret: without quotes, brackets and what follows it in the same breath.

Room: `redaction`, plain strings only. An unquoted value reaches to the next blank, because passwords hold commas and brackets; it
ends before `&name=` and `,name=`, where the next setting begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kvaudit.patterns import LatePattern
from kvaudit.redaction.judging import MASK, Guard, is_random
from kvaudit.redaction.patterns import QUOTED

Span = tuple[int, int]
NameGuard = Callable[[str], Guard | None]
"""The guard that the value of a name must pass; None for a name that means no secret."""

_ITEM = LatePattern(rf"""{QUOTED}|["'][^'"\n]*|[^\s,:'"\[\](){{}}]+""")
_BLANKS = LatePattern(r"\S+")
_NEXT = LatePattern(r"""[,;&|]+-{0,2}([A-Za-z_][A-Za-z0-9_.-]*)=""")
_ENDS = ",;)]}&>"
_SCHEMES = ("Bearer ", "Basic ", "Token ")


def secrets_in(value: str, guard: Guard, guard_of: NameGuard) -> Iterator[Span]:
    """Where the secrets of one matched value are, in order."""
    if _is_quoted(value):
        yield from passing(value, [_inside(value, 0, _end_of_quoted(value))], guard)
        yield from _words(value, _end_of_quoted(value), guard, guard_of, first=False)
        return
    opening = next((index for index, letter in enumerate(value) if not letter.isalpha() and letter not in "_."), len(value))
    mark = value[opening : opening + 1]
    if mark == "(" or (opening == 0 and mark in ("[", "{")):
        yield from passing(value, [_inside(value, *item.span()) for item in _ITEM.finditer(value, opening)], guard)
        return
    yield from _words(value, 0, guard, guard_of, first=True)


def _is_quoted(value: str) -> bool:
    start = value.lstrip("bru")[:2] if len(value) - len(value.lstrip("bru")) <= 1 else value[:2]
    return start[:1] in ("'", '"') or start in ('\\"', "\\'")


def _end_of_quoted(value: str) -> int:
    """Behind the closing quote; more words may follow a flag's first value."""
    escaped = value.startswith("\\")
    start = value.index('"' if escaped else next(letter for letter in value if letter in "'\"")) + 1
    mark = '\\"' if escaped else value[start - 1]
    position = start
    while (position := value.find(mark, position)) >= 0:
        slashes = len(value[start:position]) - len(value[start:position].rstrip("\\"))
        if escaped or slashes % 2 == 0:
            return position + len(mark)
        position += 1
    return len(value)


def _words(value: str, start: int, guard: Guard, guard_of: NameGuard, *, first: bool) -> Iterator[Span]:
    """The words of an unquoted value: the first is judged by the guard, the others (more values of a flag) by their looks."""
    for number, word in enumerate(_BLANKS.finditer(value, start)):
        judge = guard if first and not number else is_random
        begin, end = word.span()
        for match in _NEXT.finditer(value, begin, end):
            yield from passing(value, [_inside(value, begin, _trimmed(value, begin, match.start()))], judge)
            begin, judge = match.end(), guard_of(match.group(1)) or _never
        yield from passing(value, [_inside(value, begin, _trimmed(value, begin, end))], judge)


def _trimmed(value: str, start: int, end: int) -> int:
    """The end without the punctuation that closes the sentence or call around the value."""
    return start + len(value[start:end].rstrip(_ENDS))


def passing(value: str, spans: list[Span], guard: Guard) -> Iterator[Span]:
    """Those of the spans that hold something which the guard takes for a secret."""
    for start, end in spans:
        if start < end and not value.startswith(MASK, start) and guard(value[start:end]):
            yield start, end


def _never(_value: str) -> bool:
    return False


def _inside(value: str, start: int, end: int) -> Span:
    """The span of an item without its quotes, and without the word before a credential of a header."""
    quote = next((index for index in range(start, min(start + 3, end)) if value[index] in "'\""), -1)
    if quote >= 0 and not value[start:quote].strip("bru\\"):
        escaped = value[start] == "\\"
        start = quote + 1
        if end > start and value[end - 1] == value[quote]:
            end -= 2 if escaped else 1
    for word in _SCHEMES:
        if value[start : start + len(word)].casefold() == word.casefold() and end - start > len(word):
            return start + len(word), end
    return start, end
