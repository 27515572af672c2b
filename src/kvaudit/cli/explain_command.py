"""`kvaudit explain`: the page of a rule or a field.

Room: `cli`.
"""

from __future__ import annotations

import click

from kvaudit.cli.options import complete_field, complete_rule
from kvaudit.cli.running import guarded, write_out


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return complete_rule(context, parameter, incomplete) + complete_field(context, parameter, incomplete)


@click.command("explain")
@click.argument("name", shell_complete=_complete)
def command(name: str) -> int:
    """Print the page of a rule (hidden-fp8-kv) or of a field (kv_cache.dtype)."""

    def action() -> int:
        from kvaudit.audit.explain import field_page, rule_page
        from kvaudit.audit.rules import bundled_rules, with_examples
        from kvaudit.errors import UsageError, did_you_mean
        from kvaudit.fields import FIELDS

        rules = {rule.id: rule for rule in bundled_rules(examples=False)}
        if name in rules:
            write_out(rule_page(with_examples(rules[name])))
        elif name in FIELDS:
            write_out(field_page(name))
        else:
            near = did_you_mean(name, [*rules, *FIELDS]) or "; `kvaudit rules` lists the rules"
            raise UsageError(f"no rule or field is called {name!r}{near}")
        return 0

    return guarded(action)
