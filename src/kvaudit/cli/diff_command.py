"""`kvaudit diff`: two arms, one verdict.

Room: `cli`.
"""

from __future__ import annotations

from typing import Any

import click

from kvaudit.cli.options import audit_options, checklist_option, pair_options
from kvaudit.cli.running import guarded, make_redactor, publish, read, read_both, rules_of, wishes_of

_EPILOG = """\b
Examples:
  kvaudit diff serverA.log serverB.log
  kvaudit diff before/ after/ --vary kv_cache.prefix_caching
  kvaudit diff a.log b.log -a modelA/config.json -b modelB/config.json -a gpusA.xml
  kvaudit diff old=a.log new=b.log --format json -o text=report.txt
"""


@click.command("diff", epilog=_EPILOG)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@pair_options
@audit_options
@checklist_option
def command(
    first: str, second: str, extra_a: tuple[str, ...], extra_b: tuple[str, ...], vary: tuple[str, ...], **options: Any
) -> int:
    """Audit two arms and say whether they may be compared.

    An arm is a log, a run folder, a saved record, or - for standard input; -a and -b add evidence such as the checkpoint's
    config.json. label=PATH names an arm.
    """
    redactor = make_redactor(options["redact"])

    def action() -> int:
        from kvaudit.audit.audit import diff

        given = [(first, *extra_a), (second, *extra_b)]
        evidence = [path for arm in given for path in arm]
        wishes = wishes_of(options, vary, evidence)
        reading = (redactor, options["session"], options["no_local_checkpoint"])
        a, b = read_both([lambda arm=arm: read(arm, *reading) for arm in given])  # type: ignore[misc]
        return publish(diff(a, b, rules_of(options), wishes), redactor, options, evidence)

    return guarded(action, options["format_"], redactor, options["output"], (first, second, *extra_a, *extra_b))
