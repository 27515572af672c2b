"""Masks secrets and disarms control characters: the one choke point before anything is written.

Room: far left of the pipeline, next to `fields` and `errors`. It imports nothing of kvaudit. Excerpts are made here on the
whole line and cut afterwards, so a cut never separates a secret from the name that gives it away; documents pass through
`Redactor.document` once more before they leave the program.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

Level = Literal["default", "full"]

EXCERPT_LIMIT = 200
"""Longest excerpt, in characters."""

_LINE_LIMIT = 1 << 16
"""A longer line is cut around the match before it is masked; more context names no secret better."""

# A key name whose value is a secret. Word parts may stand before the telling one: HF_TOKEN, openai_api_key, X-Api-Key.
_SECRET_NAME = (
    r"(?:[A-Za-z0-9_.-]*?(?:api[_-]?keys?|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|"
    r"passwords?|passwd|passphrase|secrets?|credentials?)"
    r"|(?:[A-Za-z0-9_.-]*?[_.-])?(?:hf|access|auth|bearer|github|gitlab|api|refresh|session|id|slack|ngrok|wandb|personal)"
    r"[_-]?token|(?:proxy-)?authorization)"
)
# Environment style names end in _TOKEN or _KEY; lower-case words such as max_token or pad_token are no secrets.
_SECRET_ENV = r"[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|PASSWORD|PASSWD|SECRET|CREDENTIALS|PAT)"
# A name that means a secret only where its value looks like one: token, my_token, admin_key.
_SOFT_NAME = r"(?:[A-Za-z0-9_.-]*?[_.-])?(?:token|key)"
_QUOTED = r"""[bru]?"(?:[^"\\\n]|\\.)*"|[bru]?'(?:[^'\\\n]|\\.)*'"""
_VALUE = (
    rf"""(?:{_QUOTED}|\\"(?:[^"\\\n]|\\[^"\n])*\\"|"""
    r"""[A-Za-z_]{0,40}\([^()\n]*\)|\[[^\]\n]*\]|\{[^{}\n]*\}|[^\s,;'"&)}\]\x1b]+)"""
)
_COLOUR = r"(?:\x1b\[[0-9;]*m)?"
_START = r"(?:\b|\x1b\[[0-9;]*m)"
"""A name starts a word, or follows a colour, which ends in a letter."""
_NAMED = rf"{_START}(?:(?i:{_SECRET_NAME})|{_SECRET_ENV})"
_SIGN = rf"""(?:\\?["'])?{_COLOUR}\s{{0,4}}{_COLOUR}(?:=>|[=:]{{1,2}}){_COLOUR}\s{{0,4}}{_COLOUR}"""
_SIGNED = rf"(?P<head>{_NAMED}{_SIGN})(?P<value>{_VALUE})"
_FLAGGED = rf"""(?P<head>--?{_NAMED}(?:\s{{1,4}}|["']\s?,\s?))(?P<value>{_VALUE}(?:[ ][A-Za-z0-9][^\s'"]*){{0,8}})"""
_SPACED = rf"(?P<head>{_NAMED}\s(?:is\s)?)(?P<value>{_VALUE})"
_LISTED = rf"""(?P<head>\b(?:name|key)["']?:\s?["']?{_NAMED}["']?,?\s{{0,40}}["']?value["']?:\s?)(?P<value>{_VALUE})"""
_PAIRED = rf"""(?:{_NAMED}|(?i:{_SOFT_NAME}))["']\s?,\s?"""
_SOFT = rf"(?P<head>{_START}(?i:{_SOFT_NAME}){_SIGN}|--(?i:{_SOFT_NAME})\s|{_PAIRED})(?P<value>{_VALUE})"
_HEADER = r"""(?P<head>(?i:\b(?:bearer|basic|authorization:)\s{1,4}))(?P<value>[A-Za-z0-9+/=._~-]{8,})"""
_URL_LOGIN = r"""(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?P<value>[^/\s@'":]*:[^/\s'"]+)@"""
_URL_TOKEN = r"""(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?P<value>[A-Za-z0-9_-]{12,})@"""
_SHAPES = (
    r"(?P<value>\bhf_[A-Za-z0-9]{16,}|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|"
    r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|"
    r"\bAKIA[A-Z0-9]{16}|\bnvapi-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{30,}|"
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,})"
)
_TELLTALE = (
    r"(?i:key|token|passw|passphrase|secret|credential|authorization|bearer|basic|_PAT\b|://|"
    r"hf_|sk-|gh[pousr]_|github_pat|glpat-|xox|AKIA|nvapi-|AIza|eyJ)"
)
"""Every pattern above needs one of these: a text without them, which most lines are, is done after one look."""
_OWNER = r"(?:[A-Za-z0-9_.-]*?[_.-])?(?:host|hostname|node_?name|server_?name|user|username|login|account)"
_HEX = r"[0-9A-Fa-f]{1,4}"
_FULL = (
    rf"""(?P<head>\b(?i:{_OWNER}){_SIGN}|--(?i:{_OWNER})\s)(?P<value>{_VALUE})""",
    r"(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://\[?)(?P<value>(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]*|[A-Za-z0-9][A-Za-z0-9._-]*)",
    rf"(?P<value>\b(?:\d{{1,3}}\.){{3}}\d{{1,3}}\b|\b(?:{_HEX}:){{3,7}}{_HEX}\b|\b(?:{_HEX}:){{1,6}}(?::{_HEX}){{1,6}}\b|"
    r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\b|\b[A-Za-z]:\\[^\s'\",;]+|~[A-Za-z0-9_-]*(?:/[A-Za-z0-9._@+=~-]+)+|"
    r"\b(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|cloud|local|lan|internal|intranet|corp|home|example|test|invalid|svc)\b)",
    r"""(?P<head>^|[\s'"=:(,\[{@]|//)(?P<value>(?:/[A-Za-z0-9._@+=~-]+){2,})""",
)
_WHOLE = rf"""\\"(?:[^"\\\n]|\\[^"\n])*\\"|{_QUOTED}|[^\s,'"]+"""
_ITEM = rf"""{_QUOTED}|[^\s,:'"\[\](){{}}]+"""
_LEAST_RANDOM = 16
_LEAST_NUMBER = 1000
"""Smaller numbers beside a name such as `secrets` are counts."""
_UNSET = frozenset({"none", "null", "true", "false", "***", "", "[]", "{}", "0", "auto", "bearer", "basic"})
_PROSE = (
    " a an and are as auth authentication authorization be by can configuration could file for found from given has have header "
    "helper if in is it may missing mode must needed no not of on only or path provided recommended required set settings should "
    "specified that the this to unset using value was were will with variable "
)
"""In sentences about a secret, such as "HF_TOKEN is not set", these words are none."""

_PUBLIC = frozenset({"github.com", "huggingface.co", "docs.vllm.ai", "docs.sglang.ai", "docs.sglang.io", "pytorch.org"})

Guard = Callable[[str], bool]


class Redactor:
    """Masks of one call: equal secrets get equal ordinals (`<secret-1>`), never a hash that could be tried against guesses."""

    def __init__(self, level: Level = "default") -> None:
        import re2

        self.level = level
        self._ordinals: dict[str, int] = {}
        full = [(pattern, _is_private) for pattern in _FULL] if level == "full" else []
        self._telltale, self._full = re2.compile(_TELLTALE), [(re2.compile(pattern), guard) for pattern, guard in full]
        self._patterns = [*((re2.compile(pattern), guard) for pattern, guard in _GUARDED), *self._full]
        self._secret_key = re2.compile(rf"^(?:(?i:-*{_SECRET_NAME})|{_SECRET_ENV})$")
        self._soft_key = re2.compile(rf"^(?i:-*{_SOFT_NAME})$")
        self._owner_key = re2.compile(rf"^(?i:-*{_OWNER})$") if level == "full" else None
        self._whole, self._item = re2.compile(_WHOLE), re2.compile(_ITEM)

    def mask(self, text: str) -> str:
        """The text with every secret replaced by its ordinal."""
        return self._mask_around(text, 0)[0]

    def _mask_around(self, text: str, position: int) -> tuple[str, int]:
        """The masked text, and where the character at `position` went."""
        for pattern, guard in self._patterns if self._telltale.search(text) else self._full:
            group = pattern.groupindex["value"]
            pieces: list[str] = []
            done, moved = 0, position
            for match in pattern.finditer(text):
                first, last = match.span(group)
                for start, end in self._secrets(text, first, last, guard):
                    mask = self._ordinal(text[start:end])
                    pieces += [text[done:start], mask]
                    if end <= position:
                        moved += len(mask) - (end - start)
                    done = end
            if pieces:
                text, position = "".join([*pieces, text[done:]]), moved
        return text, max(0, min(position, len(text)))

    def _secrets(self, text: str, start: int, end: int, guard: Guard) -> Iterator[tuple[int, int]]:
        """Where the secrets of one value are, without quotes: every item of a list, every key that follows a flag."""
        value = text[start:end]
        bracket = next((index for index, letter in enumerate(value) if not letter.isalpha() and letter != "_"), len(value))
        called = value[bracket : bracket + 1] == "("
        bracketed = called or value[:1] in ("[", "{")
        items = self._item if bracketed else self._whole
        for number, item in enumerate(items.finditer(value, bracket if called else 0)):
            first, last = _inside(value, *item.span())
            judge = guard if bracketed or not number else _is_random
            if not value.startswith("<secret-", first) and judge(value[first:last]):
                yield start + first, start + last

    def _ordinal(self, secret: str) -> str:
        number = self._ordinals.setdefault(secret.strip("\\'\""), len(self._ordinals) + 1)
        return f"<secret-{number}>"

    def excerpt(self, line: str, position: int = 0) -> str:
        """At most 200 masked and escaped characters of a line, centred on `position`."""
        if len(line) > _LINE_LIMIT:
            start = max(0, position - _LINE_LIMIT // 2)
            line, position = line[start : start + _LINE_LIMIT], position - start
        masked, position = self._mask_around(line, position)
        if len(masked) > EXCERPT_LIMIT:
            start = max(0, min(position - EXCERPT_LIMIT // 3, len(masked) - EXCERPT_LIMIT + 2))
            end = start + EXCERPT_LIMIT - 2
            masked = ("…" if start else "") + masked[start:end] + ("…" if end < len(masked) else "")
        return escape(masked.strip())[:EXCERPT_LIMIT]

    def document(self, value: Any, key: str = "") -> Any:
        """A JSON document with every secret masked, by key name and by shape, and every string escaped."""
        return self._document(value, key, bool(key and self._secret_key.match(key)))

    def _document(self, value: Any, key: str, secret: bool) -> Any:
        if isinstance(value, dict):
            return {escape(self.mask(str(name))): self._document(*held) for name, *held in self._members(value, secret)}
        if isinstance(value, list | tuple):
            return type(value)(self._document(item, key, secret or flagged) for item, flagged in self._after_flags(list(value)))
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, str):
            hidden = _is_value(value) if secret else bool(key) and self._told_by_key(key, value)
            return self._ordinal(value) if hidden else escape(self.mask(value))
        return self._ordinal(str(value)) if secret and value >= _LEAST_NUMBER else value

    def _told_by_key(self, key: str, value: str) -> bool:
        if self._owner_key and _is_private(value) and self._owner_key.match(key):
            return True
        return _is_random(value) and self._soft_key.match(key) is not None

    def _members(self, held: dict[Any, Any], secret: bool) -> Iterator[tuple[Any, Any, str, bool]]:
        """Name, value, key and secrecy of each member; `{"name": "HF_TOKEN", "value": …}` names its secret in a value."""
        named = held.get("name") or held.get("key")
        by_name = isinstance(named, str) and self._secret_key.match(named) is not None
        for name, item in held.items():
            hidden = secret or self._secret_key.match(str(name)) is not None or (by_name and str(name).lower() == "value")
            yield name, item, str(name), hidden

    def _after_flags(self, items: list[Any]) -> Iterator[tuple[Any, bool]]:
        """Each item of a list, and whether it is the value of a flag that means a secret: `["--api-key", …]`."""
        hidden = soft = False
        for item in items:
            is_flag = isinstance(item, str) and item.startswith("-")
            yield item, isinstance(item, str) and not is_flag and (hidden or (soft and _is_random(item)))
            hidden = is_flag and self._secret_key.match(item) is not None
            soft = is_flag and self._soft_key.match(item) is not None


def _inside(value: str, start: int, end: int) -> tuple[int, int]:
    """The span of an item without its quotes, and without the word before a credential of a header."""
    quote = next((index for index in range(start, min(start + 3, end)) if value[index] in "'\""), -1)
    if quote >= 0:
        start, end = quote + 1, end - (2 if value[start] == "\\" else 1)
    for word in ("Bearer ", "Basic "):
        if value[start : start + len(word)].casefold() == word.casefold() and end - start > len(word):
            return start + len(word), end
    return start, end


def _is_set(value: str) -> bool:
    """Something stands there, and it is not the mask of an earlier pass."""
    return value.lower() not in _UNSET and not value.startswith("<secret-")


def _is_value(value: str) -> bool:
    """A value, not a word of a sentence about it and not the next flag."""
    prose = f" {value.lower().rstrip('.:!?')} " in _PROSE
    return _is_set(value) and not prose and not value.startswith(("--", "=", ":"))


def _is_private(value: str) -> bool:
    """Not a public page that texts refer to, and not a route of the server."""
    return _is_set(value) and value not in _PUBLIC and not value.startswith(("/v1/", "/v2/"))


def _is_random(value: str) -> bool:
    """What generated credentials look like: long, letters and digits, both cases where it holds dashes."""
    if len(value) < _LEAST_RANDOM or not value.replace("_", "").replace("-", "").isalnum() or not value.isascii():
        return False
    classes = any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value))
    return all(classes) if "_" in value or "-" in value else classes[0] and (classes[1] or classes[2])


_GUARDED: tuple[tuple[str, Guard], ...] = (
    (_FLAGGED, _is_value),
    (_SIGNED, _is_value),
    (_SPACED, _is_value),
    (_LISTED, _is_value),
    (_SOFT, _is_random),
    (_HEADER, _is_value),
    (_URL_LOGIN, _is_set),
    (_URL_TOKEN, _is_random),
    (_SHAPES, _is_set),
)


def escape(text: str) -> str:
    """Control, format, bidirectional and zero-width characters as visible escapes; tab and newline included."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(text))


def _visible(text: str) -> Iterable[str]:
    for character in text:
        if character == " " or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
            yield character
        else:
            code = ord(character)
            yield f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
