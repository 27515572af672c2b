"""Write the generated files anew: `make generate`. Tests fail when one of them is stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kvaudit.audit.explain import catalogue
from kvaudit.audit.rule_schema import write_schema
from kvaudit.audit.rules import bundled_rules
from tests.conftest import ROOT
from tests.test_readme import README, write_transcript


def main() -> None:
    write_schema()
    (ROOT / "docs" / "rules.md").write_text(catalogue(bundled_rules()), encoding="utf-8")
    command = Path(sys.executable).parent / "kvaudit"
    environment = {"COLUMNS": "80", "PATH": ""}
    demo = subprocess.run([command, "demo"], capture_output=True, encoding="utf-8", check=False, env=environment)
    write_transcript(README, demo.stdout)


if __name__ == "__main__":
    main()
