"""What gives a secret away: the names that mean one, the places one stands in, the shapes that only a secret has. Pure data.

Room: `redaction`. RE2 syntax. The group `value` is what is masked, quotes and all; `spans` takes the quotes off. Shapes are those
that the issuers document: the prefix of a token is there to be searched for.
"""

from __future__ import annotations

from typing import NamedTuple

from kvaudit.redaction.judging import (
    Guard,
    is_dense,
    is_login,
    is_packed_login,
    is_private,
    is_random,
    is_set,
    is_value,
)

# A key name whose value is a secret. Word parts may stand before the telling one: HF_TOKEN, openai_api_key, X-Api-Key.
SECRET_NAME = (
    r"(?:[A-Za-z0-9_.-]*?(?:api[_-]?keys?|(?:access|account|shared|secret|private|auth|signing|encryption|master|deploy)[_-]?key"
    r"(?:[_-]?id)?|client[_-]?key[_-]?data|passwords?|passwd|passphrase|secrets?|credentials?|connection[_-]?string|webhook[_-]?url|"
    r"x-amz-signature|x-goog-signature|cookies?|basic[_-]?auth)"
    r"|(?:[A-Za-z0-9_.-]*?[_.-])?(?:hf|hub|access|auth|bearer|github|gh|gitlab|api|refresh|session|id|slack|discord|telegram|bot|"
    r"ngrok|wandb|npm|pypi|vault|registry|security|oauth|jwt|sas|csrf|xsrf|personal|deploy|job)"
    r"[_-]?token|(?:proxy-)?authorization)"
)
# Environment style names end in _TOKEN or _KEY; lower-case words such as max_token or pad_token are no secrets.
SECRET_ENV = r"[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|PASSWORD|PASSWD|PASS|PWD|SECRET|CREDENTIALS|CREDS|COOKIE|DSN|PAT)"
# A name that means a secret only where its value looks like one: token, my_token, admin_key.
SOFT_NAME = r"(?:[A-Za-z0-9_.-]*?[_.-])?(?:token|key)"
OWNER_NAME = r"(?:[A-Za-z0-9_.-]*?[_.-])?(?:host|hostname|node_?name|server_?name|user|username|login|account)"
"""A key whose value says where or whose: masked at the level `full`."""

QUOTED = r"""[bru]?"(?:[^"\\\n]|\\.)*"|[bru]?'(?:[^'\\\n]|\\.)*'"""
_CUT = r"""["'][^'"\n]*"""
"""A quoted text whose end was cut off."""


def _bracketed(opening: str, other: str, closing: str) -> str:
    """What stands in brackets, quoted or not; brackets inside quotes do not count, and the closing one may be cut off."""
    return rf"{opening}(?:{QUOTED}|{other})*(?:{closing}|{_CUT})?"


_VALUE = "|".join(
    (
        rf"(?:(?:{QUOTED})(?:{QUOTED}|[A-Za-z0-9]+)*",  # YAML doubles a quote inside quotes, a shell joins what touches
        r"""\\"(?:[^"\\\n]|\\[^"\n])*\\\"""",
        rf"""[A-Za-z_.]{{1,40}}\((?:{QUOTED})(?:{QUOTED}|[^()'"\n])*\)?""",
        _bracketed(r"\(", r"""[^()'"\n]""", r"\)"),
        _bracketed(r"\[", r"""[^\[\]'"\n]""", r"\]"),
        _bracketed(r"\{", r"""[^{}'"\n]""", r"\}"),
        r"""[^\s'"\x1b]*[A-Za-z0-9](?:['"](?:[A-Za-z0-9][^\s'"\x1b]*)?[A-Za-z0-9])+""",  # a quote amid letters is the value's own
        r"""\\?["']?(?:[^\s'"\x1b\\]|\\[ ]?)+)""",
    )
)
_COLOUR = r"(?:\x1b\[[0-9;]*m)?"
_START = r"(?:\b|\x1b\[[0-9;]*m)"
"""A name starts a word, or follows a colour, which ends in a letter."""
_NAMED = rf"{_START}(?:(?i:{SECRET_NAME})|{SECRET_ENV})"
_SIGN = rf"""(?:\\?["'])?{_COLOUR}\s{{0,4}}{_COLOUR}(?:=>|[=:]{{1,2}}){_COLOUR}\s{{0,4}}{_COLOUR}"""
_SIGNED = rf"(?P<head>{_NAMED}{_SIGN})(?P<value>{_VALUE})"
_PLAIN = r"""[^\s"'\\(\[{<|>&*!]"""
"""How a value begins that has neither quotes nor brackets of its own."""
_QUOTED_SETTING = (
    rf"""(?:^|[^\\])["](?P<head>-{{0,2}}{_NAMED}(?:=|:\s))(?P<value>{_PLAIN}(?:[^"\\\n]|\\.)*)["]""",
    rf"""(?:^|[^\\])['](?P<head>-{{0,2}}{_NAMED}(?:=|:\s))(?P<value>{_PLAIN}(?:[^'\\\n]|\\.)*)[']""",
    rf"""\\"(?P<head>-{{0,2}}{_NAMED}(?:=|:\s))(?P<value>{_PLAIN}(?:[^"\\\n]|\\[^"\n])*)\\["]""",
    rf"""(?m)^(?P<head>\s{{0,80}}(?:-\s)?{_NAMED}(?::\s{{1,4}}|\s=\s))(?P<value>{_PLAIN}[^"'\n\x1b]*)$""",
)
"""A setting that has quotes, or a line, for itself."""
_FLAGGED = rf"""(?P<head>--?{_NAMED}(?:\s{{1,4}}|["']\s?,\s?))(?P<value>{_VALUE}(?:[ ][A-Za-z0-9][^\s'"]*){{0,8}})"""
_SPACED = rf"(?P<head>{_NAMED}\s(?:is\s)?)(?P<value>{_VALUE})"
_LISTED = rf"""(?P<head>\b(?:name|key)["']?[:=]\s?["']?{_NAMED}["']?,?\s{{0,40}}["']?value["']?[:=]\s?)(?P<value>{_VALUE})"""
_TAGGED = rf"""(?P<head><{_NAMED}>)(?P<value>[^<\n]+)"""
_PAIRED = rf"""(?:{_NAMED}|(?i:{SOFT_NAME}))["']\s?,\s?"""
_SOFT = rf"(?P<head>{_START}(?i:{SOFT_NAME}){_SIGN}|--(?i:{SOFT_NAME})\s|{_PAIRED})(?P<value>{_VALUE})"
_HEADER = (
    r"""(?P<head>(?i:\b(?:bearer|basic|negotiate|apikey|authorization["']?:\s{0,4}["']?(?:token|key)|authorization:)\s{1,4}))"""
    r"""(?P<value>[A-Za-z0-9+/=._~-]{8,})"""
)
_COOKIE = r"""(?P<head>(?i:\b(?:set-)?cookie)["']?:\s{0,4}["']?)(?P<value>[\w.-]+=[^;\s'"]*(?:;\s?[\w.-]+=[^;\s'"]*)*)"""
_AUTH = r"""(?P<head>(?i:\b|_)(?i:auth)["']?\s{0,4}[:=]\s{0,4}["']?)(?P<value>[A-Za-z0-9+/]{8,}={0,2})"""
_LOGIN_FLAG = r"""(?P<head>(?:^|\s|["'])(?:-u|--user|--proxy-user)(?:[ =]|["']\s?,\s?)["']?)(?P<value>[^\s'":]+:[^\s'"]+)"""
_LOGIN_QUOTED = r"""(?P<head>(?:^|\s|["'])(?:-u|--user|--proxy-user)(?:[ =]|["']\s?,\s?)["'])(?P<value>[^\s'":]+:[^'"\n]+)["']"""
_LOGIN_COMMAND = (
    r"""(?P<head>\bsshpass\s{1,4}-p\s?|\b(?:docker|podman|nerdctl|helm|skopeo)\s[a-z ]{0,20}login\s[^\n]{0,200}?-p[ =]|"""
    r"""\b(?:mysql|mysqldump|mariadb)\s(?:[^\n]{0,200}?\s)?-p|\bredis-cli\s(?:[^\n]{0,200}?\s)?-a\s)"""
    rf"(?P<value>{_VALUE})"
)
_LOGIN_WORD = r"(?P<head>\b(?:wandb|hf|huggingface-cli|ngrok)\s[a-z -]{0,40}\s)(?P<value>[A-Za-z0-9_]{20,})"
_QUERY = (
    r"""(?P<head>(?i:[?&;](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|key-pair-id)=))"""
    r"""(?P<value>[^&\s'"<>]+)"""
)
_URL_LOGIN = r"""(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?P<value>[^/\s@'":]*:[^/\s'"]+)@"""
_URL_TOKEN = r"""(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://)(?P<value>[A-Za-z0-9_-]{12,})@"""
_HOOK = (
    r"""(?P<head>(?i:hooks\.slack\.com/[a-z]{1,20}/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/|"""
    r"""api\.telegram\.org/(?:file/)?bot))(?P<value>[^\s'"<>)\]]+)"""
)
_PEM = (
    r"(?s)(?P<value>-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|SECRET KEY)[A-Z ]{0,20}-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,40}KEY[A-Z ]{0,20}-----|\z))"
)
_PEM_LINE = r"(?m)^\s{0,80}(?P<value>[A-Za-z0-9+/]{60,76}={0,2})\s*$"
_WORD = "[A-Za-z0-9_-]"
_SHAPES = (
    rf"(?P<value>\bhf_[A-Za-z0-9]{{16,}}|hf_[A-Za-z0-9]{{30,}}|\bapi_org_[A-Za-z0-9]{{16,}}|\bsk-{_WORD}{{16,}}|\b[rsp]k_(?:live|test)_[A-Za-z0-9]{{16,}}|"
    rf"\bgh[pousr]_[A-Za-z0-9]{{20,}}|\bgithub_pat_[A-Za-z0-9_]{{20,}}|\bgl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent)-{_WORD}{{16,}}|"
    r"\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}|"
    rf"\bnvapi-{_WORD}{{20,}}|\bAIza{_WORD}{{30,}}|\bya29\.{_WORD}{{16,}}|\bGOCSPX-{_WORD}{{16,}}|"
    rf"\beyJ{_WORD}{{10,}}\.{_WORD}{{10,}}\.{_WORD}{{5,}}|"
    rf"\bnpm_[A-Za-z0-9]{{30,}}|\bpypi-{_WORD}{{40,}}|\bdckr_pat_{_WORD}{{16,}}|\bdop_v1_[a-f0-9]{{32,}}|\bdapi[a-f0-9]{{32}}|"
    rf"\br8_[A-Za-z0-9]{{30,}}|\bgsk_[A-Za-z0-9]{{30,}}|\bpplx-[A-Za-z0-9]{{30,}}|\bxai-[A-Za-z0-9]{{30,}}|\brpa_[A-Z0-9]{{30,}}|"
    rf"\btskey-[a-z]{{2,12}}-{_WORD}{{16,}}|\bhv[sb]\.{_WORD}{{20,}}|\bgl(?:sa|c)_[A-Za-z0-9_+/=]{{20,}}|\blsv2_[a-z]{{2}}_{_WORD}{{20,}}|"
    rf"\bSG\.{_WORD}{{16,}}\.{_WORD}{{16,}}|\bAGE-SECRET-KEY-1[A-Z0-9]{{20,}}|\bwandb_v1_{_WORD}{{20,}}|\bSK[a-f0-9]{{32}}\b|"
    rf"\bwhsec_[A-Za-z0-9+/=]{{20,}}|\bATATT3{_WORD}{{30,}}|\b\d{{8,10}}:AA{_WORD}{{30,}}|"
    rf"\b[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,}}|"
    r"\$(?:1|2[abxy]|5|6|y|apr1|argon2id?|scrypt)\$[./A-Za-z0-9$=,+]{20,})"
)


class Pattern(NamedTuple):
    """An expression, the guard that its `value` must pass, and whether that is the secret as it stands (no quotes, no list).

    `alone` is a value that has quotes or a line for itself, so that blanks do not end it.
    """

    expression: str
    guard: Guard
    whole: bool
    alone: bool = False


# `tokens/s` stands in every other line of an engine's log; no name that means a secret goes on behind `token`.
_NAME_TELLTALE = (
    r"(?i:key|token(?:\W|$)|pass|pwd|secret|cred|dsn|authorization|auth\b|bearer|basic|negotiate|cookie|_PAT\b|"
    r"connection.?string|webhook)"
)
_PLACE_TELLTALE = (
    r"(?i:://|sig=|signature|credential|security-token|awsaccess|key-pair|\slogin|sshpass|mysql|mariadb|redis-cli|-u[ \"'=]|"
    r"-user|hooks?\.|webhook|api\.tele)"
)
_SHAPE_TELLTALE = (
    r"(?:hf_|api_org_|sk-|k_live|k_test|gh[pousr]_|github_pat|gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent)-|xox|xapp-|AKIA|ASIA|nvapi-|"
    r"AIza|ya29|GOCSPX|eyJ|npm_|pypi-|dckr_|dop_|dapi|r8_|gsk_|pplx-|xai-|rpa_|tskey|hv[sb]\.|glsa_|glc_|lsv2_|SG\.|AGE-S|wandb_v1|"
    r"whsec_|ATATT3|\d:AA|SK[a-f0-9]{32}|\$(?:\d|2[abxy]|y|apr1|argon2|scrypt)\w?\w?\$|"
    r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}|[A-Za-z0-9+/]{60})"
)

PATTERNS: tuple[tuple[str, tuple[Pattern, ...]], ...] = (
    (r"-----BEGIN", (Pattern(_PEM, is_set, whole=True),)),
    (
        _NAME_TELLTALE,
        (
            Pattern(_COOKIE, is_set, whole=True),
            *(Pattern(one, is_value, whole=False, alone=True) for one in _QUOTED_SETTING),
            Pattern(_FLAGGED, is_value, whole=False),
            Pattern(_SIGNED, is_value, whole=False),
            Pattern(_SPACED, is_value, whole=False),
            Pattern(_LISTED, is_value, whole=False),
            Pattern(_TAGGED, is_value, whole=True),
            Pattern(_SOFT, is_random, whole=False),
            Pattern(_HEADER, is_value, whole=True),
            Pattern(_AUTH, is_packed_login, whole=True),
        ),
    ),
    (
        _PLACE_TELLTALE,
        (
            Pattern(_LOGIN_QUOTED, is_login, whole=True),
            Pattern(_LOGIN_FLAG, is_login, whole=True),
            Pattern(_LOGIN_COMMAND, is_value, whole=False),
            Pattern(_LOGIN_WORD, is_random, whole=True),
            Pattern(_QUERY, is_set, whole=True),
            Pattern(_URL_LOGIN, is_set, whole=True),
            Pattern(_URL_TOKEN, is_random, whole=True),
            Pattern(_HOOK, is_set, whole=True),
        ),
    ),
    (_SHAPE_TELLTALE, (Pattern(_SHAPES, is_set, whole=True), Pattern(_PEM_LINE, is_dense, whole=True))),
)
"""In the order in which they are tried, each group with what every one of it needs: a text without it, as most are, is done after
one look."""

_HEX = r"[0-9A-Fa-f]{1,4}"
FULL: tuple[Pattern, ...] = (
    Pattern(rf"""(?P<head>\b(?i:{OWNER_NAME}){_SIGN}|--(?i:{OWNER_NAME})\s)(?P<value>{_VALUE})""", is_private, whole=False),
    Pattern(
        r"(?P<head>[A-Za-z][A-Za-z0-9+.-]{1,20}://\[?)"
        r"(?P<value>(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]*|[A-Za-z0-9][A-Za-z0-9._-]*)",
        is_private,
        whole=True,
    ),
    Pattern(
        rf"(?P<value>\b(?:\d{{1,3}}\.){{3}}\d{{1,3}}\b|\b(?:{_HEX}:){{3,7}}{_HEX}\b|\b(?:{_HEX}:){{1,6}}(?::{_HEX}){{1,6}}\b|"
        r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\b|\b[A-Za-z]:\\[^\s'\",;]+|~[A-Za-z0-9_-]*(?:/[A-Za-z0-9._@+=~-]+)+|"
        r"\b(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|cloud|local|lan|internal|intranet|corp|home|example|test|invalid|svc)\b)",
        is_private,
        whole=True,
    ),
    Pattern(r"""(?P<head>^|[\s'"=:(,\[{@]|//)(?P<value>(?:/[A-Za-z0-9._@+=~-]+){2,})""", is_private, whole=True),
)
"""Besides: hosts, addresses, users and paths."""
