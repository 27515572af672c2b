"""Right, wrong and missed values over a labelled collection of files, by engine and field.

Usage: KVAUDIT_CORPUS=FOLDER python -m benchmarks.accuracy [--engine NAME] [--json PATH] [--worst 10]

FOLDER holds labels.jsonl, one line a file: file, engine, fields {name: value or {value, tol}}, unknown [names that must stay
unknown], args [further files], sessions {count, selected, ready}, and optionally accept, also, derived, present, unscored.
Right: the effective value equals the label. Wrong: another value, or any value where the label says unknown. Missed: no value
where the label has one. The share of wrong values is the figure that matters, so it is printed first.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kvaudit.errors import KvauditError
from kvaudit.record.build import read_arm
from kvaudit.record.model import Record
from kvaudit.redaction import Redactor

VARIABLE = "KVAUDIT_CORPUS"
TOLERANCE = 0.005
SPELLINGS = {"fp8": "fp8_e4m3", "half": "float16", "f16": "float16", "f32": "float32", "bf16": "bfloat16"}
Verdict = str


@dataclass
class FileScore:
    """What became of one labelled file."""

    file: str
    engine: str
    verdicts: list[tuple[str, Verdict, str]] = field(default_factory=list)
    sessions_right: bool | None = None
    error: str | None = None

    def count(self, verdict: Verdict) -> int:
        """How many fields of the file have this verdict."""
        return sum(one == verdict for _, one, _ in self.verdicts)


def labels(corpus: Path, engine: str | None = None) -> list[dict[str, Any]]:
    """The labelled files that hold evidence, of one engine or of all."""
    lines = (corpus / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [one for one in found if one["engine"] not in ("none", "missing") and engine in (None, one["engine"])]


def score(corpus: Path, label: dict[str, Any]) -> FileScore:
    """Read one labelled file and compare."""
    result = FileScore(label["file"], label["engine"])
    try:
        record = read_arm([str(corpus / label["file"]), *label.get("args", [])], Redactor())
    except KvauditError as error:
        result.error = str(error)[:200]
        if "refuse" in label.get("acceptable", []):
            return result
        record = Record()
    result.verdicts = list(_verdicts(label, record))
    wanted = label.get("sessions")
    if wanted and wanted.get("count"):
        found = record.sessions
        result.sessions_right = (found.count, found.selected, found.ready) == tuple(
            wanted.get(key) for key in ("count", "selected", "ready")
        )
    return result


def _verdicts(label: dict[str, Any], record: Record) -> Iterator[tuple[str, Verdict, str]]:
    partial = label.get("partial")
    skipped = {*label.get("unscored", []), *(partial if isinstance(partial, dict) else [])}
    for name in label.get("present", []):
        held = record.state(name) == "known" and str(record.value(name)).lower() != "none"
        if not held:
            yield name, "missed", f"must be present, is {record.value(name)!r}"
    for name, wanted in label["fields"].items():
        if name not in skipped and name not in label.get("present", []):
            yield name, *_judge(label, name, wanted, record)
    for name in label.get("unknown", []):
        if record.state(name) == "known":
            yield name, "wrong", f"must be unknown, is {record.value(name)!r}"


def _judge(label: dict[str, Any], name: str, wanted: Any, record: Record) -> tuple[Verdict, str]:
    others = [one for key in ("accept", "also") for one in label.get(key, {}).get(name, [])]
    tolerance = TOLERANCE
    if isinstance(wanted, dict) and "value" in wanted:
        tolerance, others = wanted.get("tol", tolerance), [*others, *wanted.get("accept", [])]
        wanted = wanted["value"]
    if record.state(name) != "known":
        free = wanted is None or name in label.get("derived", [])
        return ("right", "") if free else ("missed", f"want {wanted!r}")
    value = record.value(name)
    if any(same(one, value, tolerance) for one in [wanted, *others]):
        return "right", ""
    return "wrong", f"want {wanted!r}, is {value!r}"


def same(wanted: Any, value: Any, tolerance: float) -> bool:
    """Whether a value is what a label wants: numbers within the tolerance, words without case, processes by pid."""
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return math.isclose(wanted, value, rel_tol=tolerance, abs_tol=1e-9)
    if isinstance(wanted, list) and isinstance(value, list):
        return _same_list(wanted, value, tolerance)
    return bool(_word(wanted) == _word(value))


def _same_list(wanted: list[Any], value: list[Any], tolerance: float) -> bool:
    if len(wanted) != len(value):
        return False
    if wanted and isinstance(wanted[0], dict):
        return sorted(str(one.get("pid")) for one in wanted) == sorted(str(one.get("pid")) for one in value)
    in_order = all(same(one, other, tolerance) for one, other in zip(wanted, value, strict=True))
    return in_order or sorted(map(str, wanted)) == sorted(map(str, value))


def _word(value: Any) -> Any:
    word = str(value).strip().lower().removeprefix("torch.")
    return SPELLINGS.get(word, word)


def score_all(corpus: Path, chosen: list[dict[str, Any]]) -> list[FileScore]:
    """Score the chosen files, two at a time."""
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(score, [corpus] * len(chosen), chosen, chunksize=4))


def totals(scores: Iterable[FileScore]) -> dict[str, Counter[str]]:
    """Counts of right, wrong and missed by `engine` and `engine/field`, and under `all`."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in scores:
        for name, verdict, _ in one.verdicts:
            for key in ("all", one.engine, f"{one.engine}/{name}"):
                counted[key][verdict] += 1
    return counted


def wrong_share(counts: Counter[str]) -> float:
    """Wrong ÷ (right + wrong)."""
    said = counts["right"] + counts["wrong"]
    return counts["wrong"] / said if said else 0.0


def right_share(counts: Counter[str]) -> float:
    """Right ÷ all labelled values."""
    return counts["right"] / total if (total := sum(counts.values())) else 0.0


def _line(name: str, counts: Counter[str]) -> str:
    shares = f"wrong share {wrong_share(counts):8.4%}   right share {right_share(counts):8.3%}"
    return f"{name:44} {shares}   right {counts['right']:5} wrong {counts['wrong']:4} missed {counts['missed']:4}"


def report(scores: list[FileScore], worst: int) -> str:
    """The printed result: the wrong share first, then engines, imperfect fields, sessions and the worst files."""
    counted = totals(scores)
    lines = [_line("all", counted["all"])]
    lines += [_line(key, counted[key]) for key in sorted(counted) if "/" not in key and key != "all"]
    lines += ["", "Fields that are not perfect:"]
    imperfect = [key for key in counted if "/" in key and counted[key]["wrong"] + counted[key]["missed"]]
    lines += [
        _line(key, counted[key]) for key in sorted(imperfect, key=lambda key: (-counted[key]["wrong"], -counted[key]["missed"]))
    ]
    sessions = Counter(one.sessions_right for one in scores if one.sessions_right is not None)
    lines += [
        "",
        f"Sessions right {sessions[True]}, wrong {sessions[False]}.",
        f"Files {len(scores)}, refused {sum(bool(one.error) for one in scores)}.",
    ]
    ranked = sorted(scores, key=lambda one: (-one.count("wrong"), -one.count("missed")))[:worst]
    lines += ["", "Worst files:"]
    for one in ranked:
        faults = [f"    {name}: {verdict}, {why}" for name, verdict, why in one.verdicts if verdict != "right"]
        lines += [f"  {one.file}{f' ({one.error})' if one.error else ''}", *faults[:8]] if faults else []
    return "\n".join(lines)


def main() -> int:
    """Run the benchmark; exit 2 where the collection is not given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worst", type=int, default=10)
    options = parser.parse_args()
    corpus = os.environ.get(VARIABLE)
    if not corpus:
        print(f"{VARIABLE} does not name a labelled collection; nothing was measured", file=sys.stderr)  # noqa: T201 - a script
        return 2
    scores = score_all(Path(corpus), labels(Path(corpus), options.engine))
    print(report(scores, options.worst))  # noqa: T201 - a script
    if options.json:
        counted = {key: dict(counts) for key, counts in totals(scores).items()}
        options.json.write_text(json.dumps(counted, indent=1, sort_keys=True), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
