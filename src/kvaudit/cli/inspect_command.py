"""`kvaudit inspect`: what a checkpoint will make each engine do, before a start.

Room: `cli`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kvaudit.cli.options import redact_option
from kvaudit.cli.running import guarded, make_redactor, terminal_width, wants_colour, write_out

if TYPE_CHECKING:
    from kvaudit.record.inspection.transfer import Wanted

_EPILOG = """\b
Examples:
  kvaudit inspect models/kestrel-8b-fp8
  kvaudit inspect config.json --tensor-parallel 4
  kvaudit inspect ~/.cache/huggingface/hub
  kvaudit inspect hf://acme/kestrel-8b@main --format json
  kvaudit inspect kestrel-8b.Q4_K_M.gguf
\b
KV transfer between prefill and decode servers, as arithmetic:
  kvaudit inspect config.json --prompt 8192 --link 400Gb --prefill-rate 11500
  kvaudit inspect config.json --prompt 8192 --link 100GbE --link 400Gb --prefill-tflops 4x400
"""


@click.command("inspect", epilog=_EPILOG)
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--tensor-parallel", type=click.IntRange(1, 4096), default=1, show_default=True, help="Ranks that share the heads.")
@click.option("--prompt", type=click.IntRange(1, 1 << 30), help="Tokens of a prompt whose KV cache is moved.")
@click.option("--link", "links", multiple=True, metavar="SPEED", help="A link between servers: 400Gb, 100GbE, 50GB; repeatable.")
@click.option("--links", "count", type=click.IntRange(1, 4096), default=1, show_default=True, help="Links used at once.")
@click.option("--prefill-rate", type=click.FloatRange(min=0, min_open=True), help="Measured prefill rate, tokens a second.")
@click.option(
    "--prefill-tflops", metavar="[GPUSx]TFLOPS", help="Instead of a measured rate: what the prefill GPUs reach, as in 4x400."
)
@click.option("--parameters", metavar="N", help="Parameters that work on a token, as in 70.6B; else counted for dense models.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@redact_option
def command(models: tuple[str, ...], **options: Any) -> int:
    """What a checkpoint states about weights and KV cache, and what each engine makes of it under auto.

    MODEL is a folder, config.json, a quantization file, a safetensors index or file, a GGUF file, a folder of the Hub cache or
    hf://ORGANISATION/NAME[@REVISION]. A folder with many models below it is listed. Only headers of weights are read.
    """
    redactor = make_redactor(options["redact"])

    def action() -> int:
        from kvaudit.record.inspection.inspect import inspect
        from kvaudit.reports.document import document, to_json
        from kvaudit.reports.inspect import inspection_page

        found = inspect(models, redactor, options["tensor_parallel"], _wanted(options))
        if options["format_"] == "json":
            write_out(to_json(document(found, redactor)))
        else:
            listed = len(found.models) > len(models)
            write_out(inspection_page(found, redactor, terminal_width(), wants_colour(), listed=listed))
        return 0

    return guarded(action, options["format_"], redactor)


def _wanted(options: dict[str, Any]) -> Wanted | None:
    """The KV transfer to compute; None where it was not asked for."""
    from kvaudit.errors import UsageError
    from kvaudit.record.inspection.transfer import Wanted, links_of, parameters_of, teraflops_of

    prompt, links, tflops = options["prompt"], options["links"], options["prefill_tflops"]
    if prompt is None and not links and options["prefill_rate"] is None and tflops is None:
        return None
    if prompt is None or not links:
        raise UsageError("the KV transfer needs a prompt length and a link: --prompt 8192 --link 400Gb")
    if options["prefill_rate"] is not None and tflops is not None:
        raise UsageError("give --prefill-rate (measured) or --prefill-tflops (arithmetic), not both")
    return Wanted(
        prompt=prompt,
        links=links_of(links),
        count=options["count"],
        rate=options["prefill_rate"],
        teraflops=teraflops_of(tflops) if tflops else None,
        teraflops_written=tflops or "",
        parameters=parameters_of(options["parameters"]) if options["parameters"] else None,
    )
