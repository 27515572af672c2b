"""Options that several commands share, declared once.

Room: `cli`. Declarations only; nothing but click is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kvaudit.cli.redact_key import remember

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("text", "json", "markdown", "sarif", "junit", "github", "gitlab")


def complete_field(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Field and group names for shell completion."""
    from kvaudit.fields import FIELDS, GROUPS

    return [name for name in (*GROUPS, *FIELDS) if name.startswith(incomplete)]


def complete_rule(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Rule ids for shell completion, by file name: no rule is loaded."""
    from kvaudit.bundled import rules_folder

    names = sorted(path.stem for path in rules_folder().glob("*/*.yaml") if path.parent.name != "engines")
    return [name for name in names if name.startswith(incomplete)]


def arm_options(command: Command) -> Command:
    """How an arm is read."""
    command = click.option(
        "--session",
        default="serving",
        show_default=True,
        metavar="serving|N",
        help="Which start of a log counts: the last that became ready, or the N-th.",
    )(command)
    return click.option(
        "--no-local-checkpoint",
        is_flag=True,
        help="Do not look on this machine for the checkpoint that a log names.",
    )(command)


def pair_options(command: Command) -> Command:
    """More evidence about either of two arms, and the difference under test."""
    decorators = [
        click.option("-a", "extra_a", multiple=True, metavar="PATH", help="More evidence about arm A; repeatable."),
        click.option("-b", "extra_b", multiple=True, metavar="PATH", help="More evidence about arm B; repeatable."),
        click.option(
            "--vary",
            multiple=True,
            metavar="FIELD|GROUP",
            shell_complete=complete_field,
            help="The difference under test; it and what follows from it are expected. Repeatable.",
        ),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def redact_option(command: Command) -> Command:
    """How much is masked, and how."""
    command = click.option(
        "--redact-key",
        metavar="FILE|ENV",
        expose_value=False,
        callback=remember,
        help="Masks that stay the same from call to call: the file, or the environment variable, that holds their key.",
    )(command)
    return click.option(
        "--redact",
        type=click.Choice(["default", "full"]),
        default="default",
        show_default=True,
        help="What to mask: secrets, or also hosts, addresses, users and paths.",
    )(command)


def audit_options(command: Command) -> Command:
    """Options of `diff` and `check`: what to show, what fails, what is accepted."""
    decorators = [
        click.option(
            "--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Report on stdout."
        ),
        click.option("-o", "--output", multiple=True, metavar="FORMAT=PATH", help="Also write the report to a file; repeatable."),
        click.option(
            "--fail-on",
            type=click.Choice(["error", "warning", "never"]),
            help="Least severity of a finding that makes the exit code 1 (error, if no policy says otherwise). "
            "The verdict never depends on it.",
        ),
        click.option(
            "--accept-unknown",
            multiple=True,
            metavar="FIELD",
            shell_complete=complete_field,
            help="Do not ask for this fact; repeatable.",
        ),
        click.option("--allow-unknown", is_flag=True, help="Do not ask for any fact that the evidence leaves open."),
        click.option(
            "--select", multiple=True, metavar="RULE", shell_complete=complete_rule, help="Only these rules; repeatable."
        ),
        click.option(
            "--ignore", multiple=True, metavar="RULE", shell_complete=complete_rule, help="Not these rules; repeatable."
        ),
        click.option(
            "--rules",
            "rules_folders",
            multiple=True,
            type=click.Path(exists=True, file_okay=False),
            help="A folder of your own rules, besides the bundled ones; repeatable.",
        ),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return arm_options(redact_option(policy_options(command)))


def policy_options(command: Command) -> Command:
    """What the run is judged by, and what is known already."""
    file = click.Path(dir_okay=False)
    decorators = [
        click.option("--policy", type=file, metavar="FILE", help="The policy to judge by, instead of the repository's."),
        click.option("--config", type=file, metavar="FILE", help="The settings file, instead of looking for kvaudit.toml."),
        click.option("--isolated", is_flag=True, help="Look for no settings file."),
        click.option("--profile", type=click.Choice(["strict", "quick"]), help="strict: warnings fail. quick: ask for less."),
        click.option("--baseline", type=file, metavar="FILE", help="Findings of this file are known and do not count."),
        click.option("--write-baseline", type=file, metavar="FILE", help="Write the findings of this call as a baseline."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def checklist_option(command: Command) -> Command:
    """The checklist before a benchmark."""
    return click.option(
        "--checklist",
        is_flag=True,
        help="Also answer the eleven questions to ask before a benchmark: pass, fail or cannot tell, with evidence. "
        "Verdict and exit code stay as they are.",
    )(command)
