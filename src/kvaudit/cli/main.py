"""The command `kvaudit`: the group, its help, and how errors become exit codes.

Room: `cli`. Command modules are imported when their command runs, so help, version and completion load click alone.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from itertools import pairwise

import click

from kvaudit import __version__
from kvaudit.errors import did_you_mean

_COMMANDS: dict[str, str] = {
    "diff": "Audit two arms and say whether they may be compared.",
    "check": "Audit one arm: the gate before a benchmark.",
    "record": "What one arm's engine really did, as JSON.",
    "why": "Where one value comes from: every fact, file and line.",
    "results": "Benchmark results: contradictions, token counts, and with two arms the gate.",
    "inspect": "A checkpoint alone: what it will make each engine do.",
    "capture": "A run folder from a live server.",
    "explain": "The page of a rule or a field.",
    "rules": "The catalogue of rules; test a folder of rules.",
    "schema": "The JSON Schema of a document.",
    "demo": "The headline case on bundled evidence.",
}

_EPILOG = """\b
Examples:
  kvaudit diff serverA.log serverB.log
  kvaudit diff serverA.log serverB.log -a modelA/ -b modelB/ --vary model.path
  kvaudit check server.log config.json nvidia-smi.txt
  kvaudit why server.log kv_cache.dtype
\b
Exit codes: 0 fine, 1 a finding fired, 2 usage or input error, 3 cannot tell.
Shell completion: eval "$(_KVAUDIT_COMPLETE=bash_source kvaudit)"
"""


_OBJECTS = 50_000
"""New objects before cycles are looked for: loading modules makes many and leaves none behind."""

_INTERRUPTED = 130
"""128 + SIGINT."""


class _LazyGroup(click.Group):
    """Finds commands by name and imports their module only when they run; listing needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All command names, in the order of their use."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, None where there is none."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"kvaudit.cli.{cmd_name}_command")
        command = module.command
        return command if isinstance(command, click.Command) else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its arguments; an unknown one is refused with the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            raise click.UsageError(f"No such command {args[0]!r}{did_you_mean(args[0], _COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help text."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kvaudit")
def cli() -> None:
    """Say what an LLM server really did, and whether two runs may be compared.

    kvaudit reads server logs, checkpoint files and GPU snapshots, establishes what the engine actually did, each value with
    file and line, and says: comparable, not comparable, or cannot tell.
    """


def _wants_json(arguments: list[str]) -> bool:
    return "--format=json" in arguments or any(pair == ("--format", "json") for pair in pairwise(arguments))


def _show(error: click.ClickException) -> None:
    """What click says of an error, which may quote an argument such as the name of a file."""
    from io import StringIO

    from kvaudit.reports.github_actions import disarm_text

    said = StringIO()
    error.show(file=said)
    click.echo(disarm_text(said.getvalue()), err=True, nl=False)


def _write_document(error: click.ClickException) -> None:
    from kvaudit.cli.running import make_redactor, write_errors
    from kvaudit.errors import InputError

    write_errors([InputError("", error.format_message())], make_redactor("default"), "json")


def main() -> None:
    """Run the command line; errors of input and usage exit with 2 and name what was wrong."""
    if sys.argv[1:2] != ["capture"]:
        # No plugin of another package reads evidence, nor is one searched for; a captured benchmark inherits the environment.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(_OBJECTS)
    code = _run()
    gc.freeze()  # the process ends: nothing is worth being looked for once more
    sys.exit(code)


def _run() -> int:
    """The exit code of the command."""
    try:
        code = cli.main(prog_name="kvaudit", standalone_mode=False)
    except click.ClickException as error:
        _show(error)
        if _wants_json(sys.argv[1:]):
            _write_document(error)
        return 2
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError):  # click takes the end of some file for the end of a dialogue
            click.echo(f"kvaudit: a file ended too early: {error.__cause__}", err=True)
            return 2
        return _INTERRUPTED
    return code if isinstance(code, int) else 0
