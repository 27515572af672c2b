"""Terminal cells: how wide a text is on a screen, and the part of it that fits.

Room: `reports`, plain strings only. Wide characters take two cells, combining ones none. rich has the table of widths; texts in
ASCII, which most are, do not need it.
"""

from __future__ import annotations


def width_of(text: str) -> int:
    """Terminal cells that a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def beginning(text: str, room: int) -> str:
    """The longest beginning of at most `room` characters that takes at most `room` cells."""
    cut = text[: max(0, room)]
    while width_of(cut) > room and cut:
        cut = cut[:-1]
    return cut


def ending(text: str, room: int) -> str:
    """The longest end of at most `room` characters that takes at most `room` cells."""
    cut = text[-room:] if room > 0 else ""
    while width_of(cut) > room:
        cut = cut[1:]
    return cut
