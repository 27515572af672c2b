from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.record.inspection.inspect import inspect
from kvaudit.record.inspection.model import Inspection, ModelInspection
from kvaudit.record.inspection.transfer import Wanted, links_of
from kvaudit.redaction import Redactor
from kvaudit.reports.inspect import inspection_page
from tests.conftest import ROOT
from tests.model_files import llama_gguf

FOLDER = ROOT / "fixtures" / "inspect"
WANTED = Wanted(prompt=8192, links=links_of(["400Gb"]), rate=11_500)


def pages(monkeypatch: pytest.MonkeyPatch, name: str) -> Inspection:
    monkeypatch.chdir(FOLDER)
    return inspect([name], Redactor(), 1, WANTED)


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("name", ["kestrel-1b-fp8", "kestrel-1b-two-files", "kestrel-70b"])
def test_no_line_is_longer_than_the_page(monkeypatch: pytest.MonkeyPatch, name: str, width: int) -> None:
    page = inspection_page(pages(monkeypatch, name), Redactor(), width)
    assert max(map(len, page.splitlines())) <= width
    assert page.endswith("\n")
    assert not any(line.endswith(" ") for line in page.splitlines())


def test_a_gguf_file_fits_the_page_too(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(llama_gguf().number("general.file_type", 15).build())
    page = inspection_page(inspect([str(tmp_path / "m.gguf")], Redactor(), 1, WANTED), Redactor(), 80)
    assert max(map(len, page.splitlines()[1:])) <= 80
    assert "bytes on all devices together" in page


def test_colour_is_only_there_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = pages(monkeypatch, "kestrel-1b-fp8")
    assert "\x1b[" not in inspection_page(found, Redactor(), 80)
    assert "\x1b[" in inspection_page(found, Redactor(), 80, colour=True)


def test_a_release_whose_log_is_silent_stands_out_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        " ".join(line.split()) for line in inspection_page(pages(monkeypatch, "kestrel-1b-fp8"), Redactor(), 100).splitlines()
    ]
    assert "vLLM before 0.15 bfloat16 yes" in lines
    assert "0.15 to before 0.22 fp8 no; beats an explicit 16-bit flag" in lines
    assert "0.22 and newer fp8 no" in lines


def test_several_pages_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    page = inspection_page(inspect(["kestrel-8b", "kestrel-70b"], Redactor()), Redactor(), 80)
    assert page.count("─" * 80) == 1
    assert page.startswith("kestrel-8b\n")


def test_a_list_names_what_could_not_be_read() -> None:
    found = Inspection(models=[ModelInspection(label="a/x", error="a/x/config.json: damaged"), ModelInspection(label="a/y")])
    page = inspection_page(found, Redactor(), 80, listed=True)
    assert "a/x: a/x/config.json: damaged" in page
    assert "unknown  unknown    unknown  unknown     a/y" in page


def test_a_list_of_nothing_but_errors_has_no_table() -> None:
    page = inspection_page(Inspection(models=[ModelInspection(label="a", error="b")]), Redactor(), 80, listed=True)
    assert page.splitlines()[0] == "a: b"
