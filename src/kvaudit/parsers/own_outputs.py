"""What this program itself wrote: reports that quote evidence and are none.

Room: `parsers`. A report lies beside the log that it is about, and holds its lines; read as a log it would audit itself. Told by
how each format of `reports` begins. Saved records are evidence.
"""

from __future__ import annotations

from kvaudit.patterns import LatePattern
from kvaudit.sources.source import Source

_FIRST = frozenset("PFCN:#<{\x1b")
_BEGINS = LatePattern(
    r"^[\x{feff}\s]*(?:\x1b\[[0-9;]*m)*(?:"
    r"(?:PASS|FAIL|COMPARABLE|NOT COMPARABLE|CANNOT TELL|NOTHING WAS DECIDED) · [^\n]*(?:\n[^\n]*)?\bexit\s[0-3]\b|"
    r"::(?:error|warning|notice) [^\n]*\btitle=kvaudit\b|"
    r"# kvaudit (?:check|diff|results): |"
    r'<\?xml[^\n]*\?>\s*<testsuites name="kvaudit"|'
    r'\{\s*"document":\s*"(?:report|baseline|inspection|error)"|'
    r"[a-z_]+\.[a-z0-9_]+\s(?:=|is)\s)"
)
_WHY = LatePattern(r"(?m)^Order of belief: observed \(a measurement\)")
"""The last lines of a page of `why`; its first name a field, as lines of other files may."""
_FIELD = LatePattern(r"^[a-z_]+\.[a-z0-9_]+\s")


def is_own_output(source: Source) -> bool:
    """Whether a document is a report, a page or a baseline of this program."""
    first = source.head[:80].lstrip("\ufeff \t\r\n")[:1]
    if not (first in _FIRST or first.islower()) or _BEGINS.match(source.head) is None:
        return False
    return _FIELD.match(source.head) is None or _WHY.search(source.head) is not None
