"""Renderers by name, and what naming them costs."""

from __future__ import annotations

import subprocess
import sys

from kvaudit.cli.options import FORMATS
from kvaudit.reports.interface import RENDERERS, format_names


def test_text_is_the_default() -> None:
    assert format_names()[:2] == ("text", "json")
    assert format_names() == tuple(RENDERERS) == FORMATS


def test_naming_the_formats_imports_nothing_heavy() -> None:
    code = "import sys, kvaudit.reports.interface, kvaudit.reports.why; print({'rich', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_rendering_json_needs_no_terminal_library() -> None:
    code = "import sys, kvaudit.reports.document, kvaudit.reports.summary; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
