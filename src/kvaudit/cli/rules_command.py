"""`kvaudit rules`: the catalogue, and tests of rule folders.

Room: `cli`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from kvaudit.cli.running import guarded, is_terminal, terminal_width, wants_colour, write_out

if TYPE_CHECKING:
    from kvaudit.audit.rules import Rule

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
"""Severities from the strongest, with their colour on a terminal."""

_NARROWEST = 24
"""Columns that a title needs to be worth wrapping."""


@click.group("rules", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int:
    """The catalogue of rules."""
    return 0 if context.invoked_subcommand else int(context.invoke(list_))


@command.command("list")
def list_() -> int:
    """One line per rule: id, severity, scope, what it finds."""

    def action() -> int:
        from kvaudit.audit.rules import bundled_rules

        width = terminal_width() if is_terminal() else None
        write_out("\n".join(catalogue_lines(bundled_rules(examples=False), width, colour=wants_colour())))
        return 0

    return guarded(action)


def catalogue_lines(rules: Sequence[Rule], width: int | None, *, colour: bool) -> Iterator[str]:
    """The rules as a table: flat and unbroken into a pipe (`width` None), by category and wrapped on a terminal."""
    ids, severities = max(len(rule.id) for rule in rules), max(len(severity_of(rule)) for rule in rules)
    indent = ids + severities + 10
    for rule, before in zip(rules, (None, *rules), strict=False):
        if width and (before is None or before.category != rule.category):
            yield click.style(rule.category, bold=True) if colour else rule.category
        severity = f"{severity_of(rule):{severities}}"
        shown = click.style(severity, fg=_COLOURS[severity.split("/")[0].strip()]) if colour else severity
        title = wrap(rule.title, width - indent) if width and width - indent >= _NARROWEST else [rule.title]
        yield f"{rule.id:{ids}}  {shown}  {rule.scope:4}  {title[0]}"
        yield from (" " * indent + part for part in title[1:])


def severity_of(rule: Rule) -> str:
    """The severities a rule may have, the strongest first."""
    levels = {rule.severity} if isinstance(rule.severity, str) else {step.level for step in rule.severity}
    return "/".join(level for level in _COLOURS if level in levels)


@command.command("test")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def test(folder: str) -> int:
    """Check a folder of rules against the schema and run each rule's own examples."""

    def action() -> int:
        from kvaudit.audit.rule_examples import run_examples
        from kvaudit.audit.rule_schema import check_folder
        from kvaudit.audit.rules import load_rules

        check_folder(Path(folder))
        rules = load_rules(Path(folder))
        results = [(rule, result) for rule in rules for result in run_examples(rule)]
        failed = [f"{rule.id}: {result.message}" for rule, result in results if not result.ok]
        lines = [*failed, f"{len(rules)} rules, {len(results)} examples, {len(failed)} failed"]
        write_out("\n".join(lines))
        return 1 if failed else 0

    return guarded(action)
