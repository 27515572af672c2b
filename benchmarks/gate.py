"""The gate over everything labelled: each rule's hits, misses and false alarms over cases and pairs.

Usage: KVAUDIT_CORPUS=FOLDER KVAUDIT_CASES=FOLDER python -m benchmarks.gate [--fixtures] [--only cases|pairs]

Cases are folders with a case.yaml (keys: tests/case_format.py), run through the installed command; `--fixtures` adds those of the
project. Pairs are those of benchmarks.pairs. A false alarm is a rule that a label says must not fire. Prints, per rule, the three
numbers, then everything that is not as labelled. Exit code 1: a miss, a false alarm, or a wrong verdict.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import pairs
from benchmarks.pairs import PairScore
from tests.case_format import Case, load

CASES, CORPUS = "KVAUDIT_CASES", pairs.VARIABLE
PROJECT = Path(__file__).resolve().parent.parent
_SERIOUS = ("error", "warning")


def case_folders(roots: Iterable[Path]) -> list[Path]:
    """The folders below the roots that hold a case."""
    return sorted(path.parent for root in roots for path in root.rglob("case.yaml"))


def audits(folder: Path) -> Iterator[Case]:
    """The commands of a case that audit something and expect a report."""
    for case in load(folder):
        if case.is_audit and case.content["exit_code"] != 2 and "--format" not in case.words:
            yield case


def score_case(case: Case) -> PairScore:
    """Run one command of a case and compare verdict and rules with what the case says."""
    name = f"{case.folder.name}: {case.content['command']}"
    wanted = str(case.content.get("verdict") or "").replace(" ", "_")
    command = [str(Path(sys.executable).parent / "kvaudit"), *case.arguments]
    done = subprocess.run(command, cwd=case.folder, capture_output=True, encoding="utf-8", errors="replace", check=False)  # noqa: S603 - the installed command
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return PairScore(name, "no report", wanted, right=False, missed=[rule for rule, _ in must_fire(case)])
    return compared(case, name, wanted, report, done.returncode)


def compared(case: Case, name: str, wanted: str, report: dict[str, Any], code: int) -> PairScore:
    """The score of a report: rules that had to fire (or to stay undecided), and rules that must not."""
    fired = {one["rule"]: one["severity"] for one in report["findings"] if one["state"] == "fired"}
    open_ = {one["rule"] for one in report["not_checked"]} | {
        one["rule"] for one in report["findings"] if one["state"] == "unknown"
    }
    score = PairScore(name, report["verdict"], wanted, right=not wanted or report["verdict"] == wanted)
    score.right &= code in [case.content["exit_code"], *case.content.get("exit_code_also", [])]
    for rule, severity in must_fire(case):
        there = rule in open_ if severity == "unknown" else rule in fired and severity in (None, *severities(report, rule))
        (score.hits if there else score.missed).append(rule)
    forbidden = [str(one) for one in case.content.get("must_not_fire") or []]
    serious = [rule for rule, severity in fired.items() if severity in _SERIOUS]
    score.false = [rule for rule in serious if rule in forbidden or "*" in forbidden]
    return score


def must_fire(case: Case) -> list[tuple[str, str | None]]:
    """Rules that a case asks for, with the severity where it names one."""
    entries = case.content.get("must_fire") or []
    return [(entry, None) if isinstance(entry, str) else (entry["rule"], entry.get("severity")) for entry in entries]


def severities(report: dict[str, Any], rule: str) -> set[str]:
    """The severities at which a rule fired."""
    return {one["severity"] for one in report["findings"] if one["rule"] == rule and one["state"] == "fired"}


def score_cases(folders: Iterable[Path]) -> list[PairScore]:
    """Score every audit of the folders, two at a time."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(score_case, [case for folder in folders for case in audits(folder)]))


def table(scores: list[PairScore]) -> str:
    """Per rule hits, misses and false alarms; then what is not as labelled."""
    kinds = ("hits", "missed", "false")
    hits, missed, false = (Counter(rule for one in scores for rule in getattr(one, kind)) for kind in kinds)
    lines = [f"{'rule':36} {'hits':>6} {'misses':>7} {'false alarms':>13}"]
    lines += [f"{rule:36} {hits[rule]:6} {missed[rule]:7} {false[rule]:13}" for rule in sorted({*hits, *missed, *false})]
    lines.append(f"{'all':36} {hits.total():6} {missed.total():7} {false.total():13}")
    for one in scores:
        faults = [] if one.right else [f"{one.verdict}, want {one.wanted}"]
        faults += [f"missed {rule}" for rule in one.missed] + [f"false alarm {rule}" for rule in one.false]
        lines += [f"  {one.name}: {'; '.join(faults)}"] if faults else []
    return "\n".join(lines)


def main() -> int:
    """Run the benchmark; exit 2 where there is nothing to measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fixtures", action="store_true")
    parser.add_argument("--only", choices=["cases", "pairs"])
    options = parser.parse_args()
    roots = [Path(os.environ[CASES])] if os.environ.get(CASES) else []
    roots += [PROJECT / "fixtures"] if options.fixtures else []
    corpus = os.environ.get(CORPUS)
    cases = score_cases(case_folders(roots)) if options.only != "pairs" else []
    labelled = pairs.score_all(Path(corpus), pairs.pairs(Path(corpus))) if corpus and options.only != "cases" else []
    if not cases and not labelled:
        print(f"neither {CASES} nor {CORPUS} names a collection; nothing was measured", file=sys.stderr)  # noqa: T201 - a script
        return 2
    scores = [*cases, *labelled]
    for what, part in (("cases", cases), ("pairs", labelled)):
        if part:
            share = sum(one.right for one in part) / len(part)
            print(f"{what}: verdict right {sum(one.right for one in part)} of {len(part)} ({share:.1%})")  # noqa: T201 - a script
    print(table(scores))  # noqa: T201 - a script
    return int(any(not one.right or one.missed or one.false for one in scores))


if __name__ == "__main__":
    sys.exit(main())
