"""`kvaudit capture`: a run folder from a live server.

Room: `cli`. Everything that is said goes to stderr; with `--around` the command's own output goes where it would have gone.
"""

from __future__ import annotations

from typing import Any

import click

from kvaudit.cli.options import redact_option
from kvaudit.cli.running import guarded, make_redactor

_EPILOG = """\b
Examples:
  kvaudit capture --url http://127.0.0.1:8000 --log server.log --output run/
  kvaudit capture --url http://127.0.0.1:8000 --unit vllm.service --output run/
  kvaudit capture --url http://127.0.0.1:8000 --container vllm --model /models/atlas-13b --output run/
\b
The folder is an arm: kvaudit check run/, kvaudit diff run-a/ run-b/.
Exit codes: 0 captured, 2 nothing was kept (the reason is on stderr).
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
@redact_option
def command(**options: Any) -> int:
    """Save everything worth keeping of a running server: endpoints, log, GPU snapshot, process, service, checkpoint headers.

    Nothing needs root, nothing changes the server, secrets are masked before anything is written.
    """
    redactor = make_redactor(options["redact"])

    def action() -> int:
        from kvaudit.capture.session import capture
        from kvaudit.redaction import escape

        manifest = capture(_wish(options), redactor)
        for line in _told(manifest, options["output"]):
            click.echo(escape(redactor.mask(line)), err=True)
        return 0

    return guarded(action, "text", redactor)


def _wish(options: dict[str, Any]) -> Any:
    from kvaudit.capture.wish import Wish
    from kvaudit.errors import UsageError

    if sum(options[name] is not None for name in ("unit", "container", "pod")) > 1:
        raise UsageError("one of --unit, --container and --pod is enough")
    names = ("url", "output", "log", "model", "unit", "container", "pod", "pid", "timeout")
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
    for piece in manifest["missing"]:
        remedy = f" → {piece['remedy']}" if piece["remedy"] else ""
        lines.append(f"  missing {piece['what']}: {piece['why']}{remedy}")
    return lines
