"""The table that a benchmark client prints at its end, with the arguments it printed before: vLLM's and SGLang's share a form.

Room: `parsers.results`. Titles of vLLM 0.5 to 0.33 and SGLang 0.3 to 0.5.23. Figures are rounded to two places. The table stands
in a log of its own or behind a server's in the same file; the arguments (`Namespace(...)`) are those printed last before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kvaudit.parsers import repr_split
from kvaudit.parsers.checkpoint.positions import Place
from kvaudit.parsers.facts import Fact, Reading
from kvaudit.parsers.hints import CLIENT_TABLE
from kvaudit.parsers.results.client_arguments import take_arguments
from kvaudit.parsers.results.columns import numbered
from kvaudit.parsers.results.facts import Teller
from kvaudit.parsers.results.figures import Draft, rate, written_number
from kvaudit.parsers.results.run import Value, is_quantity
from kvaudit.patterns import LatePattern
from kvaudit.sources.lines import without_colours
from kvaudit.sources.source import Source

_LABELS = {
    "Successful requests": "completed",
    "Failed requests": "failed",
    "Benchmark duration (s)": "duration",
    "Total input tokens": "input_tokens",
    "Total generated tokens": "output_tokens",
    "Total generated tokens (retokenized)": "output_tokens_retokenized",
    "Request throughput (req/s)": "request_throughput",
    "Request goodput (req/s)": "goodput",
    "Input token throughput (tok/s)": "input_throughput",
    "Output token throughput (tok/s)": "output_throughput",
    "Total Token throughput (tok/s)": "total_throughput",
    "Total token throughput (tok/s)": "total_throughput",
    "Peak output token throughput (tok/s)": "peak_output_throughput",
    "Peak concurrent requests": "peak_concurrency",
    "Maximum request concurrency": "max_concurrency",
    "Max request concurrency": "max_concurrency",
    "Request rate configured (RPS)": "request_rate",
    "Traffic request rate": "request_rate",
    "Concurrency": "concurrency",
    "Accept length": "accept_length",
    "Acceptance length": "accept_length",
    "Drafts": "drafts",
    "Draft tokens": "draft_tokens",
    "Accepted tokens": "accepted_tokens",
    "Backend": "endpoint",
}
_FAMILIES = {"TTFT": "ttft", "TPOT": "tpot", "ITL": "itl", "E2EL": "e2e", "E2E Latency": "e2e"}
_ROW = LatePattern(r"^(?P<label>[A-Z][^:]{2,60}): +(?P<value>\S+)\s*$")
_LATENCY = LatePattern(
    r"^(?P<statistic>Mean|Median|Std|Max|P\d{1,2}(?:\.\d)?) (?P<family>TTFT|TPOT|ITL|E2EL|E2E Latency) \(ms\)$"
)
_ARGUMENTS = LatePattern(r"^(?:\S{0,40}=)?(?P<body>Namespace\(.*)$")
_MOST_LINES = 90
_MOST_TABLES = 200


def runs_printed(source: Source, reader: str) -> list[Fact]:
    """The facts of every table in the document; none where it is too large to be kept."""
    text = source.text() if source.data is not None and CLIENT_TABLE in source.data else None
    if text is None:
        return []
    teller = Teller(source, reader, text)
    facts: list[Fact] = []
    for count, (draft, places) in enumerate(_tables(text), 1):
        if count > _MOST_TABLES:
            break
        facts += teller.told(draft, places, count)
    return facts


def tables_beside(source: Source) -> Reading | None:
    """The tables of clients in the file of an engine's log, with their lines as a note; None where there are none."""
    facts = runs_printed(source, ClientLog.name)
    lines = [origin.line for one in facts for origin in one.origins if origin.line]
    if not lines:
        return None
    return Reading(kind=ClientLog.kind, facts=facts, notes=[f"lines {min(lines)}-{max(lines)} of the file"])


def _tables(text: str) -> Iterator[tuple[Draft, dict[str, Place]]]:
    arguments: tuple[str, Place] | None = None
    table: dict[str, tuple[str, Place]] | None = None
    title, begun = Place(1, 0), 0
    for number, offset, raw in numbered(text):
        line = without_colours(raw).strip() if "\x1b" in raw else raw.strip()
        if CLIENT_TABLE.decode() in line:
            if table:
                yield _draft(title, table, arguments)
            table, title, begun = {}, Place(number, offset), number
        elif table is None and (match := _ARGUMENTS.search(line)):
            arguments = (match.group("body"), Place(number, offset))
        elif table is not None and (line.startswith("====") or number - begun > _MOST_LINES):
            yield _draft(title, table, arguments)
            table, arguments = None, None
        elif table is not None and (match := _ROW.search(line)):
            table.setdefault(match.group("label"), (match.group("value"), Place(number, offset)))
    if table:
        yield _draft(title, table, arguments)


def _draft(
    title: Place, table: dict[str, tuple[str, Place]], arguments: tuple[str, Place] | None
) -> tuple[Draft, dict[str, Place]]:
    sglang = "Total generated tokens (retokenized)" in table or "Request rate configured (RPS)" in table
    run = Draft("sglang-bench-serving" if sglang else "vllm-bench-serve", {})
    places = {"": title}
    for label, (written, place) in table.items():
        name = _name(label)
        value = written if name == "endpoint" else rate(written) if name == "request_rate" else written_number(written)
        if value is not None and name and is_quantity(name) and name not in run.values:
            run.hold(name, value, written=True)
            if name in run.values:
                run.values[name] = run.values[name].model_copy(update={"pointer": label})
                places[label] = place
    if arguments:
        _take_arguments(run, *arguments, places)
    return run, places


def _name(label: str) -> str | None:
    match = _LATENCY.search(label)
    if match is None:
        return _LABELS.get(label)
    return f"{_FAMILIES[match.group('family')]}.{match.group('statistic').lower()}"


def _take_arguments(run: Draft, body: str, place: Place, places: dict[str, Place]) -> None:
    """What the client printed of its own arguments, under the names it gives them."""
    values, _ = repr_split.namespace(body)
    asked = Draft(run.tool, {str(key): value for key, value in values.items()})
    take_arguments(asked)
    model = values.get("model") or values.get("served_model_name")
    run.model = model if isinstance(model, str) and len(model) < 300 else None
    for name, held in asked.values.items():
        if name not in run.values:
            pointer = (held.pointer or "").removeprefix("/")
            run.values[name] = Value(value=held.value, pointer=pointer)
            places[pointer] = _place_of(place, body, pointer)


def _place_of(place: Place, body: str, key: str) -> Place:
    """The place of a key in a line of arguments: its offset, for the excerpt."""
    at = body.find(f"{key}=")
    return Place(place.line, place.start + max(at, 0))


class ClientLog:
    """Reads the log of a benchmark client that holds its table."""

    name = "results:printed"
    kind = "results"
    hints: tuple[bytes, ...] = (CLIENT_TABLE,)
    periodic_hints: tuple[bytes, ...] = ()

    def recognises(self, source: Source) -> float:
        """0.6: a document with the table that no engine's parser wants more."""
        return 0.6 if any(CLIENT_TABLE in raw.data for raw in source.hits) else 0.0

    def read(self, source: Source) -> Reading:
        """One run per table."""
        facts = runs_printed(source, self.name)
        notes = [] if facts else ["larger than one document may be: its tables are not read"]
        return Reading(kind=self.kind, facts=facts, notes=notes)
