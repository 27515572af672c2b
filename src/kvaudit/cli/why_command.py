"""`kvaudit why`: where one value comes from.

Room: `cli`.
"""

from __future__ import annotations

import click

from kvaudit.cli.options import arm_options, redact_option
from kvaudit.cli.running import guarded, make_redactor, read, terminal_width, wants_colour, write_out

_EPILOG = """\b
Examples:
  kvaudit why server.log kv_cache.dtype
  kvaudit why server.log config.json kv_cache.tokens
  kvaudit why report.json --arm b kv_cache.dtype
"""


@click.command("why", epilog=_EPILOG)
@click.argument("paths_and_field", nargs=-1, required=True, metavar="PATH... FIELD")
@click.option("--arm", type=click.Choice(["a", "b"]), default="a", show_default=True, help="Which arm of a saved report.")
@redact_option
@arm_options
def command(paths_and_field: tuple[str, ...], arm: str, redact: str, session: str, no_local_checkpoint: bool) -> int:
    """Show every fact about one field: file, line, excerpt, which one won and why."""
    redactor = make_redactor(redact)

    def action() -> int:
        from kvaudit.cli.saved_report import arm_of_report
        from kvaudit.errors import UsageError, did_you_mean
        from kvaudit.fields import FIELDS
        from kvaudit.reports.why import why_page

        *paths, name = paths_and_field
        if name not in FIELDS:
            near = did_you_mean(name, FIELDS) or "; see `kvaudit explain`"
            raise UsageError(f"the last argument is a field, and no field is called {name!r}{near}")
        if not paths:
            raise UsageError("give at least one file before the field")
        saved = arm_of_report(paths[0], arm) if len(paths) == 1 else None
        record = saved or read(paths, redactor, session, no_local_checkpoint)
        write_out(why_page(record, name, redactor, terminal_width(), wants_colour(), arm=arm if saved else None))
        return 0

    return guarded(action, redactor=redactor)
