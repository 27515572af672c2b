"""Shell text becomes words with their lines."""

from __future__ import annotations

import pytest

from kvaudit.parsers.launch_command.shell import MOST_TEXT, commands
from kvaudit.parsers.launch_command.words import expanded


def _texts(text: str) -> list[list[str]]:
    return [[word.text for word in simple.words] for simple in commands(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a --x=\"1 2\"3 ''", [["a", "--x=1 23", ""]]),
        ("a \\\n  b # c\nd", [["a", "b"], ["d"]]),
        ("a; b && c || d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("a >out.log 2>&1 <in b", [["a", "b"]]),
        ("cat <<EOF\nvllm serve x\nEOF\nb", [["cat"], ["b"]]),
        ("a#b #c", [["a#b"]]),
        ('a --spec {"method": "mtp", "n": 1} b', [["a", "--spec", '{"method": "mtp", "n": 1}', "b"]]),
        ("a '{\"method\": 1}'", [["a", '{"method": 1}']]),
        ('a "x\\"y" \'$HOME\'', [["a", 'x"y', "$HOME"]]),
        ("a\r\nb", [["a"], ["b"]]),
        ("if x; then a; else b; fi", [["x"], ["a"], ["b"]]),
    ],
)
def test_words(text: str, words: list[list[str]]) -> None:
    assert _texts(text) == words


def test_words_know_their_line_and_position() -> None:
    (simple,) = commands("vllm serve x \\\n    --seed 7\n")
    assert [(word.line, word.position) for word in simple.words] == [(1, 0), (1, 5), (1, 11), (2, 4), (2, 11)]


def test_variables_stay_open_until_the_document_sets_them() -> None:
    (simple,) = commands("a $X ${Y:-3} pre-${Z}/post '$X' $(date) `id`")
    assert [word.variables for word in simple.words[1:]] == [("X",), ("Y",), ("Z",), (), ("(command)",), ("(command)",)]
    filled = [expanded(word, {"X": "1", "Z": "mid"}) for word in simple.words]
    assert [word.text for word in filled[1:5]] == ["1", "${Y:-3}", "pre-mid/post", "$X"]
    assert filled[1].because == "X"


def test_commands_in_conditions_and_loops_are_nested() -> None:
    found = commands("a\nif x; then\n  b\nfi\nfor i in 1 2; do c; done\nf() {\n  d\n}\ne\n")
    nested = {simple.words[0].text: simple.nested for simple in found}
    assert nested["a"] is False
    assert nested["b"] is True
    assert nested["c"] is True
    assert nested["d"] is True
    assert nested["e"] is False


def test_a_joined_argument_list_has_no_operators() -> None:
    (simple,) = commands("BIND=0|1 vllm serve x --y a;b", joined=True)
    assert [word.text for word in simple.words] == ["BIND=0|1", "vllm", "serve", "x", "--y", "a;b"]


def test_a_text_beyond_the_limit_is_not_read() -> None:
    assert commands("a " * MOST_TEXT) == []
