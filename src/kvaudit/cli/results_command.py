"""`kvaudit results`: what benchmark results say of themselves, and with two arms the acceptance gate.

Room: `cli`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kvaudit.cli.options import Command, audit_options, pair_options
from kvaudit.cli.running import guarded, make_redactor, publish, read, read_both, rules_of, wishes_of

if TYPE_CHECKING:
    from kvaudit.record.model import Record
    from kvaudit.redaction import Redactor

_EPILOG = """\b
Examples:
  kvaudit results bench.json
  kvaudit results bench.json -a server.log -a metrics-before.txt -a metrics-after.txt
  kvaudit results baseline/ candidate/ --metric p99_itl
  kvaudit results baseline/ both/ --single graphs=graphs/ --single fp8=fp8/
  kvaudit results runs.tar.gz -o markdown=results.md
\b
With two arms the exit code is also that of the gate: 1 rejected, 3 not enough runs (six an arm, interleaved).
The gate needs SciPy: pip install 'kvaudit[results]'.
"""


def complete_metric(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of metrics for shell completion."""
    from kvaudit.results.gate.metrics import DIRECTIONS

    return [name for name in DIRECTIONS if name.startswith(incomplete)]


def gate_options(command: Command) -> Command:
    """How the gate decides."""
    decorators = [
        click.option(
            "--metric",
            metavar="NAME",
            shell_complete=complete_metric,
            help="What decides, such as output_throughput, total_throughput, ttft.p99, p99_itl, goodput or score. "
            "Default: output throughput, and the 99th percentile of ITL where prefill and decode are served apart.",
        ),
        click.option("--direction", type=click.Choice(["higher", "lower"]), help="Which way the metric is better."),
        click.option(
            "--floor",
            type=click.FloatRange(0, 1, min_open=True),
            default=0.95,
            show_default=True,
            help="Share of the best run of A that the best run of B must reach.",
        ),
        click.option(
            "--interleaved/--not-interleaved",
            default=None,
            help="Whether the arms were measured in turn (A B A B). Default: by the start times in the files.",
        ),
        click.option(
            "--single",
            multiple=True,
            metavar="NAME=PATH",
            help="Results of one of the changes that B combines; repeatable. B must then beat the best of them.",
        ),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


@click.command("results", epilog=_EPILOG)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@pair_options
@gate_options
@audit_options
def command(
    first: str, second: str | None, extra_a: tuple[str, ...], extra_b: tuple[str, ...], vary: tuple[str, ...], **options: Any
) -> int:
    """Audit benchmark results; with two arms, decide whether B is better than A.

    An arm is a result file, or a run folder with its results, logs and metrics. Figures that must agree are compared, token
    counts and cache hits are checked against the server, and the arms are audited as `check` and `diff` do.
    """
    redactor = make_redactor(options["redact"])
    given = [[first, *extra_a], *([[second, *extra_b]] if second is not None else [])]
    evidence = [path for arm in given for path in arm]

    def action() -> int:
        from kvaudit.audit.results import results
        from kvaudit.audit.results_gate import GateWishes
        from kvaudit.errors import UsageError

        if second is None and (extra_b or vary or options["single"]):
            raise UsageError("-b, --vary and --single belong to two arms: kvaudit results A B")
        wishes = wishes_of(options, vary, evidence)
        gate = GateWishes(options["metric"], options["direction"], options["floor"], options["interleaved"])
        records = _records(given, redactor, options)
        return publish(results(records, rules_of(options), wishes, gate), redactor, options, evidence)

    return guarded(action, options["format_"], redactor, options["output"], evidence)


def _records(given: Sequence[Sequence[str]], redactor: Redactor, options: dict[str, Any]) -> list[Record]:
    """The records of the arms, with the single changes beside arm B."""
    from kvaudit.audit.results import with_single
    from kvaudit.errors import UsageError

    reading = (redactor, options["session"], options["no_local_checkpoint"])
    records = read_both([lambda arm=arm: read(arm, *reading) for arm in given])  # type: ignore[misc]
    for one in options["single"]:
        name, equals, path = one.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"--single {one}: give NAME=PATH, such as --single graphs=results-graphs/")
        records[-1] = with_single(records[-1], name, read([path], *reading))
    return records
