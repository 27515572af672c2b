"""Unit files: sections, repeated keys, continuations, drop-ins, variables, and commands inside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kvaudit.parsers.facts import Reading
from kvaudit.parsers.services.unit_file import UnitFile, name_of
from kvaudit.parsers.services.unit_lines import assignments
from kvaudit.parsers.services.unit_words import command_words, environment_of, split
from kvaudit.sources.source import Source

MakeSource = Callable[..., Source]
Read = Callable[..., Reading]
Settings = Callable[..., dict[tuple[str, str], Any]]

UNIT = """[Unit]
Description=Atlas on the big card
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
# the server
Environment=MODEL=acme/atlas-13b "EXTRA=--max-num-seqs 64"
ExecStart=/opt/venv/bin/vllm serve ${MODEL} \\
    --max-model-len 32768 \\
    # a comment that systemd skips
    --kv-cache-dtype fp8 $EXTRA
Restart=on-failure
RestartSec=15

[Install]
WantedBy=multi-user.target
"""


def _facts(reading: Reading) -> dict[str, Any]:
    return {one.field: one.value for one in reading.facts if not one.field.startswith("clue.")}


def test_settings_keep_their_section_and_line(read: Read) -> None:
    found = {one.value["key"]: one for one in read(UNIT).facts if one.field == "clue.service_setting"}
    assert found["StartLimitBurst"].value["section"] == "Unit"
    assert found["StartLimitBurst"].origins[0].line == 4
    assert found["RestartSec"].value["value"] == "15"
    assert found["command"].value["value"][:3] == ["/opt/venv/bin/vllm", "serve", "acme/atlas-13b"]


def test_the_command_inside_is_what_was_asked_for(read: Read) -> None:
    reading = read(UNIT)
    facts = _facts(reading)
    assert facts["engine.name"] == "vllm"
    assert facts["model.path"] == "acme/atlas-13b"
    assert facts["model.max_len"] == 32768
    assert facts["kv_cache.dtype"] == "fp8"
    assert facts["scheduler.max_num_seqs"] == 64
    lines = {one.field: one.origins[0].line for one in reading.facts}
    assert (lines["model.path"], lines["model.max_len"], lines["kv_cache.dtype"]) == (9, 10, 12)


def test_a_continuation_is_one_assignment_with_all_its_lines() -> None:
    (command,) = [one for one in assignments(UNIT) if one.key == "ExecStart"]
    assert [number for number, _ in command.lines] == [9, 10, 12]
    assert "comment" not in command.text
    assert command.place(command.text.index("--kv-cache-dtype")) == (12, 4)


def test_repeated_keys_all_come_in_order() -> None:
    text = "[Service]\nExecStart=\nExecStart=/bin/a\nEnvironment=A=1\nEnvironment=B=2\n"
    assert [(one.key, one.text) for one in assignments(text)] == [
        ("ExecStart", ""),
        ("ExecStart", "/bin/a"),
        ("Environment", "A=1"),
        ("Environment", "B=2"),
    ]
    assert environment_of(list(assignments(text))) == {"A": "1", "B": "2"}
    assert environment_of(list(assignments(text + "Environment=\nEnvironment=C=3\n"))) == {"C": "3"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a  'b c' \"d e\"", ["a", "b c", "d e"]),
        (r"a\x20b c\ d", ["ax20b", "c d"]),
        ("--flag= '' x", ["--flag=", "", "x"]),
        ("100%% $$HOME", ["100%", "$HOME"]),
        ("%h/bin __ROOT__/x @PREFIX@", ["%h/bin", "__ROOT__/x", "@PREFIX@"]),
    ],
)
def test_words_as_systemd_splits_them(text: str, words: list[str]) -> None:
    (assignment,) = assignments(f"[Service]\nExecStart={text}\n")
    assert [word.text for word in split(assignment)] == words


def test_specifiers_and_placeholders_are_not_known() -> None:
    (assignment,) = assignments("[Service]\nExecStart=-/opt/x -m %h/models/a __MODEL__ ${UNSET} plain\n")
    words = command_words(assignment, {})
    assert words[0].text == "/opt/x"
    assert [word.is_known for word in words] == [True, True, False, False, False, True]


def test_a_bare_variable_becomes_words_and_a_braced_one_stays_one() -> None:
    (assignment,) = assignments("[Service]\nExecStart=/opt/x $ARGS ${ARGS} a$ARGS\n")
    words = [word.text for word in command_words(assignment, {"ARGS": "--a 1"})]
    assert words == ["/opt/x", "--a", "1", "--a 1", "a$ARGS"]


@pytest.mark.parametrize(
    ("path", "fragment", "named"),
    [
        ("run/atlas.service", "", ("atlas.service", "")),
        ("run/atlas.service.in", "", ("atlas.service", "")),
        ("run/atlas.service.d/10-limit.conf", "", ("atlas.service", "10-limit.conf")),
        ("saved.txt", "/etc/systemd/system/atlas.service", ("atlas.service", "")),
        ("saved.txt", "/etc/systemd/system/atlas.service.d/x.conf", ("atlas.service", "x.conf")),
        ("saved.txt", "", ("saved.txt", "")),
        ("override.conf", "", ("override.conf", "override.conf")),
    ],
)
def test_a_document_knows_which_unit_it_is_of(path: str, fragment: str, named: tuple[str, str]) -> None:
    assert name_of(path, fragment) == named


def test_systemctl_cat_holds_a_unit_and_its_drop_ins(settings: Settings) -> None:
    text = (
        f"# /etc/systemd/system/atlas.service\n{UNIT}\n# /etc/systemd/system/atlas.service.d/o.conf\n[Service]\nRestart=always\n"
    )
    found = settings(text, "cat.txt")
    assert found[("atlas.service", "Restart")] == "always"


def test_a_drop_in_alone_is_a_unit_document(settings: Settings) -> None:
    assert (
        settings("[Service]\nRestart=always\nRestartSec=1\n", "atlas.service.d/x.conf")[("atlas.service", "Restart")] == "always"
    )


def test_secrets_of_the_environment_are_not_kept(read: Read) -> None:
    reading = read(UNIT.replace("[Install]", "Environment=HF_TOKEN=hf_abcdefghijklmnopqrst\n[Install]"))
    assert "hf_abcdefghijklmnopqrst" not in str(reading)


@pytest.mark.parametrize(
    "text",
    [
        "# A guide\n\nThis unit:\n\n```ini\n[Unit]\nDescription=x\n[Service]\nRestart=always\n```\n\nStart it.\nIt works.\n",
        "[server]\nhost=127.0.0.1\nport=8080\n",
        "[Service]\n",
        "[tool.ruff]\nline-length = 100\n[project]\nname = 'x'\n",
        "just text\n",
    ],
)
def test_other_documents_are_refused(make_source: MakeSource, text: str) -> None:
    assert UnitFile().recognises(make_source(text, "file.txt")) == 0.0
