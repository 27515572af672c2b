"""`kvaudit rules`: the catalogue, and tests of rule folders.

Room: `cli`.
"""

from __future__ import annotations

from pathlib import Path

import click

from kvaudit.cli.running import guarded, write_out


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

        rules = bundled_rules()
        width = max(len(rule.id) for rule in rules)
        lines = []
        for rule in rules:
            severity = rule.severity if isinstance(rule.severity, str) else "/".join(step.level for step in rule.severity)
            lines.append(f"{rule.id:{width}}  {severity:18}  {rule.scope:4}  {rule.title}")
        write_out("\n".join(lines))
        return 0

    return guarded(action)


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
