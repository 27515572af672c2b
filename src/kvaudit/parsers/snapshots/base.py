"""What all snapshot parsers share: recognition by form, no hints, a capture turned into a reading.

Room: `parsers.snapshots`.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.errors import InputError
from kvaudit.parsers.facts import Reading
from kvaudit.parsers.snapshots.capture import KIND, Capture, as_clue, reading
from kvaudit.parsers.snapshots.document import TextLine, text_lines
from kvaudit.parsers.snapshots.forms import form_of
from kvaudit.sources.source import Source


class SnapshotParser:
    """A parser of one form; a subclass names the form and gives `capture`."""

    name = ""
    form = ""
    kind = KIND
    hints: tuple[bytes, ...] = ()
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """Confidence that the document is of this form; only one form is ever above zero."""
        form, confidence = form_of(source)
        return confidence if form == self.form else 0.0

    def read(self, source: Source) -> Reading:
        """The facts of the first capture. Raises `InputError` when the document is too large or damaged."""
        if source.data is None:
            raise InputError(source.path, "a GPU snapshot of more than 32 MiB is not read")
        lines = text_lines(source)
        capture = self.capture(lines, source)
        if capture is None:
            raise InputError(source.path, f"looks like {self.name} but holds no complete row")
        found = reading(capture, source, self.name)
        found.facts += [
            clue
            for place, one in enumerate(self.later(lines, source), start=1)
            if (clue := as_clue(one, source, self.name, place))
        ]
        return found

    def later(self, lines: list[TextLine], source: Source) -> Iterator[Capture]:
        """The captures behind the first; none where a form does not tell them apart."""
        return iter(())

    def capture(self, lines: list[TextLine], source: Source) -> Capture | None:
        """The first capture, None where nothing can be read."""
        raise NotImplementedError
