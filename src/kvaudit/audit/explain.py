"""The pages of rules and fields, and the catalogue of all rules, as Markdown that reads well as plain text.

Room: `audit`. Everything is said from the rule files and the registry; nothing is read or judged here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from kvaudit.audit.condition_words import fields_of, in_words
from kvaudit.audit.rules import Example, Rule, bundled_rules
from kvaudit.fields import FIELDS, GROUPS

_WIDTH = 100
_SCOPES = {"arm": "one arm", "pair": "two arms"}
_NEEDS = {
    "engine": "an engine log or its launch command",
    "checkpoint": "the checkpoint's files",
    "snapshot": "a GPU snapshot",
    "service": "a unit, compose file or pod",
    "results": "a result file of a benchmark client",
    "policy": "a policy that requires a value",
    "any": "any evidence that names the fields",
}
_CATEGORIES = {
    "kv-cache": "KV cache",
    "parity": "Parity of the two arms",
    "engine": "Engine state",
    "gpu": "GPU and host",
    "service": "Service",
    "results": "Results",
    "policy": "Policy",
}
_IMPACTS = {
    "error": "a difference is an error",
    "warning": "a difference is a warning",
    "by size": "the severity of a difference depends on its size",
    "context": "a difference is listed and fires no rule by itself",
    "cosmetic": "a difference does not matter",
}


def rule_page(rule: Rule) -> str:
    """The page of one rule for `kvaudit explain`."""
    parts = [
        f"# {rule.id}\n\n{rule.title}",
        _facts_of(rule),
        f"## What it looks at\n\n{_conditions(rule)}",
        f"## Why it matters\n\n{_paragraph(rule.why)}",
        f"## What to do\n\n{_paragraph(rule.fix)}",
        "## Examples\n\n" + "\n".join(_example(one) for one in rule.examples) if rule.examples else "",
        "## References\n\n" + "\n".join(f"- {one}" for one in rule.references) if rule.references else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def severity_in_words(rule: Rule) -> str:
    """The severity, or all its steps from the strongest case on."""
    if isinstance(rule.severity, str):
        return rule.severity
    return " or ".join(dict.fromkeys(step.level for step in rule.severity))


def _facts_of(rule: Rule) -> str:
    lines = [
        f"- severity: {severity_in_words(rule)}",
        f"- about: {_SCOPES[rule.scope]}",
        f"- needs: {_NEEDS[rule.needs]}",
    ]
    if rule.engines:
        lines.append(f"- engines: {', '.join(rule.engines)}")
    if rule.about == "missing":
        lines.append("- it speaks about missing evidence and never decides an exit code")
    if rule.when_varied == "note":
        lines.append("- a note where --vary names its field, or the policy requires the very value: declared, not in the launch")
    return "\n".join(lines)


def _conditions(rule: Rule) -> str:
    lines = in_words(rule.when)
    if not isinstance(rule.severity, str):
        for step in rule.severity:
            if step.when is None:
                lines.append(f"- otherwise it is {_article(step.level)}")
            else:
                lines += [f"- it is {_article(step.level)} where:", *in_words(step.when, 1)]
    return "\n".join(lines)


def _article(level: str) -> str:
    return f"an {level}" if level == "error" else f"a {level}"


def _paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _example(example: Example) -> str:
    sides = [("", example.arm), ("a: ", example.a), ("b: ", example.b)]
    said = "; ".join(f"{label}{_values(side)}" for label, side in sides if side is not None)
    severity = f" as {_article(example.severity)}" if example.severity else ""
    vary = f" with --vary {', '.join(example.vary)}" if example.vary else ""
    vary += f" where the policy requires {_values(example.require)}" if example.require else ""
    return textwrap.fill(
        f"- {example.expect}{severity}{vary}: {said}",
        _WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _values(side: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_value(given)}" for name, given in side.items()) or "nothing known"


def _value(given: Any) -> str:
    if isinstance(given, dict) and "value" in given:
        return f"= {_value(given['value']).removeprefix('= ')} ({given.get('stage', 'resolved')})"
    if isinstance(given, list) and given and all(isinstance(one, dict) and "value" in one for one in given):
        return "= " + " and ".join(_value(one).removeprefix("= ") for one in given)
    if given is None:
        return "not set"
    if isinstance(given, bool):
        return f"= {'true' if given else 'false'}"
    return f"= {given}"


def field_page(name: str) -> str:
    """The page of one field for `kvaudit explain`. Raises `KeyError` for a name that is no field."""
    row = FIELDS[name]
    lines = [
        f"- type: {row.type}{f', in {row.unit}' if row.unit else ''}",
        f"- impact: {_IMPACTS[row.impact]}{f' (rule {row.rule})' if row.rule else ''}",
    ]
    if row.tolerance:
        lines.append(f"- tolerance: {row.tolerance:.1%}")
    if row.group:
        lines.append(f"- group for --vary: {row.group} ({', '.join(GROUPS[row.group])})")
    if row.delegating:
        words = ", ".join(str(one) for one in row.delegating)
        lines.append(f"- these values leave the decision to the engine and never count: {words}")
    if row.none_means:
        lines.append(f"- a printed None means: {'proven off' if row.none_means == 'none' else 'proven not set'}")
    if row.binding:
        lines.append(f"- where ranks differ, the {'smallest' if row.binding == 'min' else 'largest'} value holds")
    if row.derives:
        lines.append(f"- a difference can follow from: {', '.join(row.derives)}")
    if row.settles:
        lines.append(f"- what settles it: {row.settles}")
    if readers := [rule.id for rule in bundled_rules(examples=False) if name in fields_of(rule.when)]:
        lines.append(f"- read by: {', '.join(readers)}")
    return f"# {name}\n\n{row.meaning}\n\n" + "\n".join(lines) + "\n"


def catalogue(rules: Iterable[Rule]) -> str:
    """All rules as one Markdown document: a table for each category, then the page of each rule."""
    by_category: dict[str, list[Rule]] = {}
    for rule in rules:
        by_category.setdefault(rule.category, []).append(rule)
    names = [*(name for name in _CATEGORIES if name in by_category), *(name for name in by_category if name not in _CATEGORIES)]
    tables = [_table(_CATEGORIES.get(name, name), by_category[name]) for name in names]
    pages = [rule_page(rule).replace("\n## ", "\n### ").replace("# ", "## ", 1) for name in names for rule in by_category[name]]
    return "\n".join([_INTRODUCTION, *tables, *pages])


def _table(title: str, rules: list[Rule]) -> str:
    rows = [f"| [`{rule.id}`](#{rule.id}) | {_SCOPES[rule.scope]} | {severity_in_words(rule)} | {rule.title} |" for rule in rules]
    return "\n".join([f"## {title}\n", "| rule | about | severity | finds |", "|---|---|---|---|", *rows, ""])


_INTRODUCTION = """# Rules

Made from the files below `rules/`; `kvaudit explain ID` prints one page, `kvaudit rules test rules` runs the examples.
No rule fires on a missing fact, except those that speak about missing evidence; they never decide an exit code. A difference that
`--vary` names, or that follows from one, fires no rule.
"""
