"""Numbers that no engine prints, in the place of every number of every line that a parser knows, and of every short document.

Python refuses integers of more than 4,300 digits, floats overflow at 1e309, and a converter may meet a fraction, a sign or zero.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.fuzz.documents import DOCUMENTS
from tests.fuzz.examining import examine
from tests.fuzz.seeds import ENGINES, Seed, seeds

NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?!\.?\d)")
OTHERS = ("9" * 5_000, "9" * 30, "1e999", "-7", "0", "0.5")


def replaced(line: str, which: int, other: str) -> str:
    """The line with its number `which`, counted from 0, replaced; unchanged where it has fewer."""
    found = list(NUMBER.finditer(line))
    if which >= len(found):
        return line
    return line[: found[which].start()] + other + line[found[which].end() :]


def variants(text: str) -> list[str]:
    """The text with the numbers of all its lines replaced: the first of each line, the second, … and all at once."""
    lines = text.split("\n")
    most = min(6, max(len(NUMBER.findall(line)) for line in lines))
    made = []
    for other in OTHERS:
        made += ["\n".join(replaced(line, which, other) for line in lines) for which in range(most)]
        made.append(NUMBER.sub(other, text))
    return made


def _logs() -> list[Seed]:
    found = {seed.name: seed for seed in seeds() if seed.name in {f"{engine}.log" for engine in ENGINES}}
    return list(found.values())


@pytest.mark.parametrize("seed", _logs(), ids=lambda seed: seed.name)
def test_every_number_of_every_known_line(seed: Seed, tmp_path: Path) -> None:
    _examine_all(seed.data.decode(), tmp_path / seed.name)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_number_of_every_document(name: str, tmp_path: Path) -> None:
    _examine_all(DOCUMENTS[name], tmp_path / name)


def _examine_all(text: str, path: Path) -> None:
    chance = random.Random(path.name)  # noqa: S311 - a width and a format, no secret
    for number, variant in enumerate(variants(text)):
        path.write_text(variant, encoding="utf-8")
        assert examine(str(path), chance, formats=int(number % 25 == 0)).faults == (), f"variant {number}"
