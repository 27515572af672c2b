"""`kvaudit capture`: a run folder from a live server.

Room: `cli`. Everything that is said goes to stderr; with `--around` the command's own output goes where it would have gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kvaudit.cli.options import redact_option
from kvaudit.cli.running import guarded, make_redactor

if TYPE_CHECKING:
    from kvaudit.redaction import Redactor

_EPILOG = """\b
Examples:
  kvaudit capture --url http://127.0.0.1:8000 --log server.log --output run/
  kvaudit capture --url http://127.0.0.1:8000 --unit vllm.service --output run/
  kvaudit capture --url http://127.0.0.1:8000 --container vllm --model /models/atlas-13b --output run/
  kvaudit capture --url http://127.0.0.1:8000 --log server.log --output run/ --keep result.json --around -- vllm bench serve …
\b
The folder is an arm: kvaudit check run/, kvaudit diff run-a/ run-b/.
Exit codes: 0 captured, 2 nothing was kept (the reason is on stderr). With --around: the command's own (128 + N for signal N, 127
where there is no such command); 2 only where it never ran, or ended with 0 and could not be captured.
"""


@click.command("capture", epilog=_EPILOG)
@click.option("--url", required=True, help="Address of the server, http://HOST:PORT.")
@click.option("--output", required=True, metavar="DIR", help="The run folder to make; it must not be there yet.")
@click.option("--log", type=click.Path(exists=True, dir_okay=False), help="The server's log file.")
@click.option("--unit", metavar="NAME", help="systemd unit of the server: its settings and its journal.")
@click.option("--container", metavar="NAME", help="docker or podman container of the server: its inspection and its log.")
@click.option("--pod", metavar="NAMESPACE/NAME", help="Kubernetes pod of the server: its description and its log.")
@click.option("--pid", type=click.IntRange(min=1), help="Process of the server; found by its port on this machine.")
@click.option("--model", metavar="PATH", help="The checkpoint: its folder or .gguf file. Only JSON files and headers are kept.")
@click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the server's API key.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="Seconds for each answer.")
@click.option("--around", is_flag=True, help="Capture before and after the command that follows --.")
@click.option("--keep", multiple=True, metavar="FILE", help="With --around: take this file of the command along. Repeatable.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@redact_option
def command(**options: Any) -> int:
    """Save everything worth keeping of a running server: endpoints, log, GPU snapshot, process, service, checkpoint headers.

    Nothing needs root, nothing changes the server, secrets are masked before anything is written.
    """
    redactor = make_redactor(options["redact"])
    return guarded(lambda: _captured(options, redactor), "text", redactor)


def _captured(options: dict[str, Any], redactor: Redactor) -> int:
    from kvaudit.capture.around import around
    from kvaudit.capture.session import capture

    wish = _wish(options)
    if not options["around"]:
        _tell(_told(capture(wish, redactor), options["output"]), redactor)
        return 0
    ended = around(wish, list(options["words"]), redactor)
    if ended.manifest is None:
        _tell([f"kvaudit: {ended.error}"], redactor)
        return ended.code or 2
    _tell(_told(ended.manifest, options["output"]), redactor)
    return ended.code


def _tell(lines: list[str], redactor: Redactor) -> None:
    from kvaudit.redaction import escape
    from kvaudit.reports.github_actions import disarm_text

    for line in lines:
        click.echo(disarm_text(escape(redactor.mask(line))), err=True)


def _wish(options: dict[str, Any]) -> Any:
    from kvaudit.capture.wish import Wish
    from kvaudit.errors import UsageError

    if sum(options[name] is not None for name in ("unit", "container", "pod")) > 1:
        raise UsageError("one of --unit, --container and --pod is enough")
    if options["around"] != bool(options["words"]):
        raise UsageError("--around wants a command behind --" if options["around"] else "a command is run with --around only")
    names = ("url", "output", "log", "model", "unit", "container", "pod", "pid", "timeout", "keep")
    return Wish(**{name: options[name] for name in names}, key=_key(options["api_key_env"]))


def _key(name: str | None) -> str | None:
    import os

    from kvaudit.errors import UsageError

    if name is None:
        return None
    key = os.environ.get(name)
    if not key:
        raise UsageError(f"--api-key-env {name}: no such variable, or it is empty")
    return key


def _told(manifest: dict[str, Any], output: str) -> list[str]:
    """What was captured and what is missing, for stderr."""
    engine, files = manifest["engine"], manifest["files"]
    version = f" {engine['version']}" if engine["version"] else ""
    lines = [f"kvaudit: captured {engine['name']}{version}: {len(files)} files in {output}"]
    if "around" in manifest:
        from kvaudit.capture.window import in_words

        lines += [f"  {line}" for line in in_words(manifest["around"]["window"])]
    for piece in manifest["missing"]:
        remedy = f" → {piece['remedy']}" if piece["remedy"] else ""
        lines.append(f"  missing {piece['what']}: {piece['why']}{remedy}")
    return lines
