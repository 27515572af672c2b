"""`kvaudit record`: what one arm's engine really did, as JSON.

Room: `cli`.
"""

from __future__ import annotations

import click

from kvaudit.cli.options import arm_options, redact_option
from kvaudit.cli.running import guarded, make_redactor, read, write_file, write_out

_EPILOG = """\b
Examples:
  kvaudit record server.log config.json > run.json
  kvaudit record run-folder/ --output run.json
  kvaudit diff run.json other.log
"""


@click.command("record", epilog=_EPILOG)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--output", type=click.Path(dir_okay=False), help="Write to this file instead of stdout.")
@redact_option
@arm_options
def command(paths: tuple[str, ...], output: str | None, redact: str, session: str, no_local_checkpoint: bool) -> int:
    """The resolved-run record of one arm. A saved record is evidence like any other."""
    redactor = make_redactor(redact)

    def action() -> int:
        from kvaudit.reports.document import document, to_json

        text = to_json(document(read(paths, redactor, session, no_local_checkpoint), redactor))
        if output:
            write_file(output, text, paths)
        else:
            write_out(text)
        return 0

    return guarded(action, "json", redactor)
