"""Rules: their shape, and how rule files are found and loaded.

Room: `audit`. A rule is data: an id, a condition of named predicates, and the words that explain it. Conditions are evaluated
in `evaluate`; nothing in a rule file is ever run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from kvaudit.audit.report import Severity
from kvaudit.bundled import rules_folder
from kvaudit.compiled import compiled
from kvaudit.errors import RuleError
from kvaudit.patterns import LatePattern
from kvaudit.shapes import CLOSED, HIDDEN, checked

Condition = dict[str, Any]
RULE_FILE_BYTES = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityStep:
    """A severity that holds where its condition is true; the last step may have none."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    level: Severity
    when: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example of a rule: field values of one arm (`arm`), or of two (`a` and `b`), and what the rule makes of them.

    A value that is a mapping with `value` may also give `stage` and `how`; `~` in `absent` lists fields proven absent.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    expect: Literal["fires", "clear", "unknown"]
    arm: dict[str, Any] | None = None
    a: dict[str, Any] | None = None
    b: dict[str, Any] | None = None
    vary: list[str] = field(default_factory=list)
    require: dict[str, Any] = field(default_factory=dict)
    """What the policy requires, as in its table `require`."""
    severity: Severity | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule file."""

    __pydantic_config__: ClassVar[dict[str, Any]] = CLOSED

    id: str
    title: str
    scope: Literal["arm", "pair"]
    severity: Severity | list[SeverityStep]
    when: Condition
    message: str
    why: str
    fix: str
    cite: list[str] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)
    about: Literal["missing"] | None = None
    needs: Literal["engine", "checkpoint", "snapshot", "service", "results", "policy", "any"] = "engine"
    when_varied: Literal["clear", "note"] = "clear"
    references: list[str] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    category: str = field(default="user", metadata=HIDDEN)
    """The folder of the rule file."""


_EXAMPLES = "\nexamples:\n"
_ALIAS = LatePattern(r"\*[\w-]")


@cache
def bundled_rules(examples: bool = True) -> tuple[Rule, ...]:
    """All rules that come with kvaudit, sorted by category and id; an audit needs no examples, which are half of them."""
    held = None if examples else compiled()
    if held is None:
        return load_rules(rules_folder(), examples)
    return tuple(_compiled_rule(path, document) for path, document in held["rules"].items())


def _compiled_rule(path: str, document: dict[str, Any]) -> Rule:
    """A rule whose file was checked when it was compiled."""
    severity = document["severity"]
    steps = severity if isinstance(severity, str) else [SeverityStep(**one) for one in severity]
    return Rule(**{**document, "severity": steps}, category=path.partition("/")[0])


def with_examples(rule: Rule) -> Rule:
    """A bundled rule with the examples of its file."""
    return replace(load_rule(rules_folder() / rule.category / f"{rule.id}.yaml"), category=rule.category)


def load_rules(folder: Path, examples: bool = True) -> tuple[Rule, ...]:
    """The rules below a folder. Raises `RuleError` naming the file, and the line where YAML is at fault.

    Without `examples` what follows that key is not read: it stands last in a bundled rule.
    """
    found = []
    for path in rule_files(folder):
        category = path.parent.name if path.parent != folder else "user"
        found.append(replace(load_rule(path, examples), category=category))
    return tuple(found)


def rule_files(folder: Path) -> list[Path]:
    """The rule files below a folder, by category and name; engine tables are none."""
    files = sorted(folder.glob("*/*.yaml")) + sorted(folder.glob("*.yaml"))
    return [path for path in files if path.parent.name != "engines"]


def load_rule(path: Path, examples: bool = True) -> Rule:
    """One rule file. Raises `RuleError`."""
    from pydantic import ValidationError

    document = load_rule_document(path, examples)
    try:
        rule = checked(Rule, document)
    except ValidationError as error:
        first = error.errors()[0]
        raise RuleError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if rule.id != path.stem:
        raise RuleError(f"{path}: id {rule.id!r} is not the file's name")
    return rule


def load_rule_document(path: Path, examples: bool = True) -> Any:
    """The YAML of a rule file, through the safe loader and without aliases. Raises `RuleError` with the line of a mistake."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if path.stat().st_size > RULE_FILE_BYTES:
            raise RuleError(f"{path}: larger than {RULE_FILE_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
        text = text if examples else text.partition(_EXAMPLES)[0]
        _refuse_aliases(text, path, loader)
        return yaml.load(text, Loader=loader)  # noqa: S506 - the safe loader in C
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise RuleError(f"{path}{f':{mark.line + 1}' if mark else ''}: {error}") from error


def _refuse_aliases(text: str, path: Path, loader: Any) -> None:
    """A few lines of aliases stand for billions of conditions. Raises `RuleError`."""
    import yaml

    for event in yaml.parse(text, Loader=loader) if _ALIAS.search(text) else ():
        if isinstance(event, yaml.AliasEvent):
            line = event.start_mark.line + 1 if event.start_mark else 0
            raise RuleError(f"{path}:{line}: aliases (*{event.anchor}) are not read in rule files")
