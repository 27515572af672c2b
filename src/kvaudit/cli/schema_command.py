"""`kvaudit schema`: the JSON Schema of a document.

Room: `cli`.
"""

from __future__ import annotations

import json

import click

from kvaudit.cli.running import write_out


@click.command("schema")
@click.argument("name", type=click.Choice(["record", "report", "rule", "policy"]))
def command(name: str) -> int:
    """Print the JSON Schema of the record, the report, a rule file, or a policy file."""
    from kvaudit.audit.policy_schema import policy_schema
    from kvaudit.audit.report import Report
    from kvaudit.audit.rule_schema import rule_schema
    from kvaudit.record.model import Record
    from kvaudit.reports.schema import document_schema

    if name in ("rule", "policy"):
        schema = rule_schema() if name == "rule" else policy_schema()
    else:
        schema = document_schema(Record if name == "record" else Report)
    write_out(json.dumps(schema, indent=2))
    return 0
