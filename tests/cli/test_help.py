"""Help, version and completion: complete, and light."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from kvaudit import __version__
from kvaudit.cli.main import _COMMANDS
from tests.cli.conftest import Call
from tests.conftest import Run

HEAVY = ("pydantic", "rich", "deepdiff", "jsonschema", "huggingface_hub", "yaml", "re2", "packaging", "numpy")


def test_the_help_names_every_command_the_exit_codes_and_examples(call: Call) -> None:
    done = call("--help")
    assert done.code == 0
    assert all(f"\n  {name} " in done.out for name in _COMMANDS)
    assert "Exit codes: 0 fine, 1 a finding fired, 2 usage or input error, 3 cannot tell." in done.out
    assert done.out.count("kvaudit ") >= 6
    assert call("-h").out == done.out


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_the_help_of_a_command_says_what_it_does(name: str, call: Call) -> None:
    done = call(name, "--help")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith(f"Usage: kvaudit {name}")
    sentence = done.out.split("\n\n")[1].strip()
    assert len(sentence.split()) >= 3
    assert sentence.endswith(".") or "." in sentence


@pytest.mark.parametrize("name", ["diff", "check", "record", "why"])
def test_the_help_of_a_command_that_reads_files_has_examples_that_are_its_own(name: str, call: Call) -> None:
    examples = [line.strip() for line in call(name, "--help").out.partition("Examples:")[2].splitlines() if line.strip()]
    assert len(examples) >= 3
    assert sum(f"kvaudit {name} " in line for line in examples) >= 2


@pytest.mark.parametrize("name", ["diff", "check", "record", "why", "demo"])
def test_every_option_is_explained(name: str, call: Call) -> None:
    from importlib import import_module

    command = import_module(f"kvaudit.cli.{name}_command").command
    silent = [option.name for option in command.params if isinstance(option, click.Option) and not option.help]
    assert silent == ([] if name != "demo" else ["format_"])


def test_the_version(call: Call) -> None:
    done = call("--version")
    assert (done.code, done.out) == (0, f"kvaudit, version {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--help"], {}),
        (["--version"], {}),
        (["diff", "--help"], {}),
        (["check", "--help"], {}),
        (["nonsense"], {}),
        ([], {"_KVAUDIT_COMPLETE": "bash_source"}),
        ([], {"_KVAUDIT_COMPLETE": "bash_complete", "COMP_WORDS": "kvaudit di", "COMP_CWORD": "1"}),
        ([], {"_KVAUDIT_COMPLETE": "bash_complete", "COMP_WORDS": "kvaudit check --select hid", "COMP_CWORD": "3"}),
    ],
)
def test_what_answers_at_once_imports_nothing_heavy(arguments: list[str], environment: dict[str, str]) -> None:
    import os

    code = (
        "import sys, json, atexit\n"
        f"sys.argv = ['kvaudit', *{arguments!r}]\n"
        "atexit.register(lambda: print('\\nMODULES', json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        "from kvaudit.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False, env={**os.environ, **environment}
    )
    modules = json.loads(done.stderr.rpartition("MODULES ")[2])
    assert "kvaudit.cli.main" in modules
    assert [name for name in modules if name.partition(".")[0] in HEAVY] == []


def test_completion_of_bash(run: Run) -> None:
    done = run(_KVAUDIT_COMPLETE="bash_source")
    assert done.returncode == 0
    assert "_kvaudit_completion" in done.stdout
    assert "complete -o nosort -F _kvaudit_completion kvaudit" in done.stdout
    shell = subprocess.run(["/bin/bash", "-n"], input=done.stdout, capture_output=True, encoding="utf-8", check=False)
    assert (shell.returncode, shell.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("kvaudit di", "diff"),
        ("kvaudit explain hidden-", "hidden-fp8-kv"),
        ("kvaudit explain kv_cache.dt", "kv_cache.dtype"),
        ("kvaudit diff a b --vary wei", "weights"),
        ("kvaudit diff a b --ignore kv-dtype-d", "kv-dtype-differs"),
        ("kvaudit check a --accept-unknown gpu.ten", "gpu.tenants"),
    ],
)
def test_names_complete(words: str, found: str, run: Run) -> None:
    done = run(_KVAUDIT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    assert f"plain,{found}" in done.stdout.splitlines()


def test_no_arguments_show_the_help_and_are_an_error(call: Call) -> None:
    done = call()
    assert done.code == 2
    assert "Usage: kvaudit" in done.err
    assert done.out == ""
