"""Which part of a matched value is the secret: without quotes, brackets and what follows it in the same breath.

Room: `redaction`, plain strings only. An unquoted value reaches to the next blank, because passwords hold commas and brackets.
What stands before its name says what else may end it: in `(a=1,key=…` the next `,name=`, in `?a=1&key=…` the next `&name=`. A
setting that has quotes or a line for itself reaches to their end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kvaudit.patterns import LatePattern
from kvaudit.redaction.judging import MASK, Guard, is_random, is_set, is_value
from kvaudit.redaction.patterns import QUOTED

Span = tuple[int, int]
NameGuard = Callable[[str], Guard | None]
"""The guard that the value of a name must pass; None for a name that means no secret."""

_ITEM = LatePattern(rf"""{QUOTED}|["'][^'"\n]*|[^\s,:'"\[\](){{}}]+""")
_BLANKS = LatePattern(r"(?:\\ |\S)+")
"""What blanks divide; a shell keeps one behind a backslash."""
_NEXT = LatePattern(r"""([,;&|]+)-{0,2}([A-Za-z_][A-Za-z0-9_.-]*)=""")
_ANOTHER = LatePattern(r"""\s+(?:-|#|["']?[A-Za-z_][A-Za-z0-9_.-]*["']?\s?[=:])""")
"""Behind a blank: a flag, a comment, another setting."""
_ENDS = ",;)]}&>"
_SCHEMES = ("Bearer ", "Basic ", "Token ")

LEAD = 4
"""How many characters before a name are looked at."""
_ENDERS = {"?": "&;", "&": "&;", ";": ";", ",": ",;", "(": ",;", "[": ",;", "{": ",;"}
_ELSE = ";|"


def enders(lead: str) -> str:
    """What divides settings behind this text, such as `&` behind `?`; behind a blank or a quote that is not to be known."""
    return _ENDERS.get(lead.rstrip("-")[-1:], _ELSE)


class Judging(NamedTuple):
    """How the words of one value are judged: its own guard, that of the value behind a name, and what ends it beside blanks."""

    guard: Guard
    guard_of: NameGuard
    enders: str


def secrets_in(value: str, judging: Judging) -> Iterator[Span]:
    """Where the secrets of one matched value are, in order."""
    if _is_quoted(value):
        end = _end_of_quoted(value)
        while end < len(value) and not value[end].isspace():  # what touches it belongs to it
            end = _end_of_quoted(value, end) if value[end] in "'\"" else end + 1
        yield from passing(value, [_inside(value, 0, end)], judging.guard)
        yield from _words(value, end, judging, first=False)
        return
    opening = next((index for index, letter in enumerate(value) if not letter.isalpha() and letter not in "_."), len(value))
    mark = value[opening : opening + 1]
    if mark == "(" or (opening == 0 and mark in ("[", "{")):
        yield from passing(value, [_inside(value, *item.span()) for item in _ITEM.finditer(value, opening)], judging.guard)
        return
    yield from _words(value, 0, judging, first=True)


def standing_alone(value: str, judging: Judging) -> Iterator[Span]:
    """The secret at the beginning of a value that has quotes or a line for itself: its blanks are its own."""
    start, _ = _inside(value, 0, len(value))
    first = _BLANKS.match(value, start)
    if first is None or value[start] == "$" or not judging.guard(value[start : _trimmed(value, start, first.end())]):
        return
    another = _ANOTHER.search(value)
    yield from _settings(value, (0, another.start() if another else len(value)), judging.guard, judging)


def _is_quoted(value: str) -> bool:
    start = value.lstrip("bru")[:2] if len(value) - len(value.lstrip("bru")) <= 1 else value[:2]
    return start[:1] in ("'", '"') or start in ('\\"', "\\'")


def _end_of_quoted(value: str, start: int = 0) -> int:
    """Behind the closing quote; more words may follow a flag's first value."""
    escaped = value.startswith("\\", start)
    position = next(index for index in range(start, len(value)) if value[index] in "'\"") + 1
    mark = ("\\" if escaped else "") + value[position - 1]
    while (position := value.find(mark, position)) >= 0:
        if escaped or _slashes_before(value, position) % 2 == 0:
            return position + len(mark)
        position += 1
    return len(value)


def _slashes_before(value: str, position: int) -> int:
    first = position
    while first and value[first - 1] == "\\":
        first -= 1
    return position - first


def _words(value: str, start: int, judging: Judging, *, first: bool) -> Iterator[Span]:
    """The words of an unquoted value: the first is judged by the guard, the others (more values of a flag) by their looks."""
    for number, word in enumerate(_BLANKS.finditer(value, start)):
        yield from _settings(value, word.span(), judging.guard if first and not number else is_random, judging)


def _settings(value: str, span: Span, judge: Guard, judging: Judging) -> Iterator[Span]:
    """The parts of a text that may go on with other settings; `,c=d` in a password is none of them."""
    begin, end = span
    is_secret: bool | None = None
    for match in _NEXT.finditer(value, begin, end):
        told = judging.guard_of(match.group(2))
        if told is None and judge is is_value and not _divides(match.group(1), judging.enders):
            is_secret = is_set(value[begin : match.start()]) if is_secret is None else is_secret
            if is_secret:
                continue
        yield from passing(value, [_inside(value, begin, _trimmed(value, begin, match.start()))], judge)
        begin, judge, is_secret = match.end(), told or _never, None
    yield from passing(value, [_inside(value, begin, _trimmed(value, begin, end))], judge)


def _divides(marks: str, dividing: str) -> bool:
    return marks[0] in dividing or marks in ("&&", "||")


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
