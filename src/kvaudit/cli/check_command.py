"""`kvaudit check`: one arm, one verdict.

Room: `cli`.
"""

from __future__ import annotations

from typing import Any

import click

from kvaudit.cli.options import audit_options, checklist_option
from kvaudit.cli.running import guarded, make_redactor, publish, read, rules_of, wishes_of

_EPILOG = """\b
Examples:
  kvaudit check server.log
  kvaudit check server.log config.json nvidia-smi.txt
  kvaudit check run-folder/ --fail-on warning
  kvaudit check run-folder/ --checklist --format markdown
  kvaudit check run-folder/ --policy agreed.toml -o sarif=kvaudit.sarif -o junit=kvaudit.xml
  journalctl -u vllm | kvaudit check -
"""


@click.command("check", epilog=_EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@audit_options
@checklist_option
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Audit one arm: the gate before a benchmark. All paths together are the evidence of one arm."""
    redactor = make_redactor(options["redact"])

    def action() -> int:
        from kvaudit.audit.audit import check

        wishes = wishes_of(options, evidence=paths)
        record = read(paths, redactor, options["session"], options["no_local_checkpoint"])
        return publish(check(record, rules_of(options), wishes), redactor, options, paths)

    return guarded(action, options["format_"], redactor, options["output"], paths)
