"""Write the generated files anew: `make generate`. Tests fail when one of them is stale."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import yaml

from kvaudit.audit.explain import catalogue
from kvaudit.audit.rule_schema import write_schema
from kvaudit.audit.rules import bundled_rules, load_rule_document, rule_files
from kvaudit.bundled import rules_folder
from kvaudit.compiled import NAME, digest
from kvaudit.parsers.registry import hints_digest, hints_of_parsers
from tests.conftest import ROOT
from tests.test_readme import README, write_transcript


def compile_rules() -> str:
    """The text of `rules/compiled.json`."""
    folder = rules_folder()
    rules = {f"{path.parent.name}/{path.name}": load_rule_document(path, examples=False) for path in rule_files(folder)}
    engines = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("engines/*.yaml"))}
    plain, periodic = ([hint.decode() for hint in hints] for hints in hints_of_parsers())
    hints = {"digest": hints_digest(), "plain": plain, "periodic": periodic}
    held = {"digest": digest(folder), "rules": rules, "engines": engines, "hints": hints}
    return json.dumps(held, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    (rules_folder() / NAME).write_text(compile_rules(), encoding="utf-8")
    write_schema()
    (ROOT / "docs" / "rules.md").write_text(catalogue(bundled_rules()), encoding="utf-8")
    command = Path(sys.executable).parent / "kvaudit"
    environment = {"COLUMNS": "80", "PATH": ""}
    demo = subprocess.run([command, "demo"], capture_output=True, encoding="utf-8", check=False, env=environment)
    write_transcript(README, demo.stdout)


if __name__ == "__main__":
    main()
