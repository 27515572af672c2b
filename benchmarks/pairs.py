"""`diff` on labelled pairs of real files: verdicts, rules that must and must not fire.

Usage: KVAUDIT_CORPUS=FOLDER python -m benchmarks.pairs [--scope NAME]

FOLDER holds pairs.jsonl, one line a pair: a, b, with_a, with_b, vary, verdict (verdict_accept), must_fire, must_not_fire,
unjudged, scope. Prints, per rule, hits, misses and false alarms, and the verdicts that are wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kvaudit.audit.audit import Wishes, diff
from kvaudit.audit.rules import bundled_rules
from kvaudit.errors import KvauditError
from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor

VARIABLE = "KVAUDIT_CORPUS"


@dataclass
class PairScore:
    """What became of one pair: its verdict, and the rules that hit, were missed, or fired falsely."""

    name: str
    verdict: str
    wanted: str
    right: bool
    hits: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)


def pairs(corpus: Path, scope: str | None = None) -> list[dict[str, Any]]:
    """The labelled pairs, of one scope or all."""
    lines = (corpus / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [one for one in found if scope in (None, one.get("scope"))]


def score(corpus: Path, pair: dict[str, Any]) -> PairScore:
    """Audit one pair and compare with what is known of it."""
    name = str(pair.get("id") or pair["a"])
    also = pair.get("verdict_accept") or []
    accepted = [pair["verdict"], *([also] if isinstance(also, str) else also)]
    redactor = Redactor()
    try:
        a, b = (
            read_arm([str(corpus / path) for path in (pair[arm], *(pair.get(f"with_{arm}") or []))], redactor) for arm in "ab"
        )
    except KvauditError:
        return PairScore(
            name, "input_error", pair["verdict"], "input_error" in accepted, missed=list(pair.get("must_fire") or [])
        )
    report = diff(a, b, bundled_rules(), Wishes(vary=tuple(pair.get("vary") or ())))
    fired = {one.rule for one in report.findings if one.state == "fired" and one.severity != "note"}
    must, must_not = pair.get("must_fire") or [], pair.get("must_not_fire") or []
    return PairScore(
        name,
        report.verdict,
        pair["verdict"],
        report.verdict in accepted,
        hits=[rule for rule in must if rule in fired],
        missed=[rule for rule in must if rule not in fired],
        false=[rule for rule in must_not if rule in fired and rule not in (pair.get("unjudged") or [])],
    )


def score_all(corpus: Path, chosen: list[dict[str, Any]]) -> list[PairScore]:
    """Score the chosen pairs, two at a time."""
    with ProcessPoolExecutor(max_workers=2) as pool:
        return list(pool.map(score, [corpus] * len(chosen), chosen, chunksize=2))


def report(scores: list[PairScore]) -> str:
    """The printed result: wrong verdicts, then the rules."""
    hits, missed, false = (Counter(rule for one in scores for rule in getattr(one, kind)) for kind in ("hits", "missed", "false"))
    lines = [f"verdicts right {sum(one.right for one in scores)} of {len(scores)}"]
    lines += [f"  {one.name}: {one.verdict}, want {one.wanted}" for one in scores if not one.right]
    lines += [
        f"{rule:36} hits {hits[rule]:3}  missed {missed[rule]:3}  false {false[rule]:3}"
        for rule in sorted({*hits, *missed, *false})
    ]
    return "\n".join(lines)


def main() -> int:
    """Run the benchmark; exit 2 where the collection is not given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scope")
    options = parser.parse_args()
    corpus = os.environ.get(VARIABLE)
    if not corpus:
        print(f"{VARIABLE} does not name a labelled collection; nothing was measured", file=sys.stderr)  # noqa: T201 - a script
        return 2
    print(report(score_all(Path(corpus), pairs(Path(corpus), options.scope))))  # noqa: T201 - a script
    return 0


if __name__ == "__main__":
    sys.exit(main())
