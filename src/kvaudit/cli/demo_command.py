"""`kvaudit demo`: the headline case on bundled evidence.

Room: `cli`.
"""

from __future__ import annotations

import os
from typing import Any

import click

from kvaudit.cli.running import guarded, make_redactor, publish, read


@click.command("demo")
@click.option("--good", is_flag=True, help="Run the pair that may be compared instead.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(good: bool, format_: str) -> int:
    """Two checkpoints of one model, served with the same flags; one silently keeps its KV cache in FP8.

    Needs no GPU and no network. Exits with 1, because that is the result; with --good with 0.
    """
    redactor = make_redactor("default")
    options: dict[str, Any] = {"format_": format_, "output": ()}

    def action() -> int:
        from kvaudit.audit.audit import Wishes, diff
        from kvaudit.audit.rules import bundled_rules
        from kvaudit.bundled import demo_folder

        folder = "good" if good else "bad"
        os.chdir(demo_folder())
        a, b = (read([f"{folder}/{arm}"], redactor, "serving", no_local_checkpoint=True) for arm in ("a", "b"))
        arms = "good/a good/b" if good else "bad/a bad/b --vary weights"
        click.echo(f"kvaudit demo: this is `kvaudit diff {arms}` in {demo_folder()}", err=True)
        wishes = Wishes() if good else Wishes(vary=("weights",))
        code = publish(diff(a, b, bundled_rules(examples=False), wishes), redactor, options)
        if not good:
            click.echo("kvaudit demo: exit code 1 is the expected result here; try `kvaudit demo --good` too.", err=True)
        return code

    return guarded(action, format_, redactor)
