"""Every kind of secret in every place that evidence holds it, through every command and format: none is ever seen."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
import yaml

from kvaudit.cli.options import FORMATS
from kvaudit.redaction import Redactor
from tests.cli.conftest import Call, call
from tests.conftest import ROOT
from tests.parsers.results.samples import vllm_serve
from tests.redaction.planted import PLANTED, Planted

__all__ = ["call"]


def seen(written: str, planted: tuple[Planted, ...] = PLANTED) -> set[str]:
    """The kinds of which something is to be seen."""
    texts = (written, html.unescape(written), written.replace("\\/", "/"))
    return {one.kind for one in planted for part in one.parts if any(part in text for text in texts)}


@pytest.mark.parametrize("one", PLANTED, ids=lambda one: one.kind)
def test_no_kind_is_seen_in_a_text_an_excerpt_or_a_document(one: Planted) -> None:
    line = f"INFO 05-17 11:42:07 [core.py:110] {one.text} kv_cache_dtype=auto"
    written = [Redactor().mask(line), Redactor().excerpt(line), Redactor().excerpt(line, len(line) // 2)]
    written.append(json.dumps(Redactor().document({"a": [line, {"b": line}], line: 1})))
    assert seen("\n".join(written)) == set()
    assert "kv_cache_dtype=auto" in written[0]
    assert "<secret-1>" in written[0]


@pytest.mark.parametrize("one", PLANTED, ids=lambda one: one.kind)
def test_equal_secrets_share_a_mask_and_others_do_not(one: Planted) -> None:
    redactor = Redactor()
    first, again = redactor.mask(one.text), redactor.mask(one.text)
    assert first == again
    other = redactor.mask("api_key=" + "m4Tn2RbYvE6sHu0K")
    assert other.removeprefix("api_key=") not in first


LOG = (ROOT / "fixtures" / "vllm" / "flag-honoured" / "server.log").read_text(encoding="utf-8").split("\n")
PREFIX = "WARNING 06-12 09:12:13 [core.py:114] "


def evidence(folder: Path) -> None:
    """A run folder in which every kind stands in a log, an environment dump, a command, settings and the metadata of results."""
    texts = [one.text for one in PLANTED]
    noisy = [f"{PREFIX}{text}" for text in texts] + [f"{PREFIX}Preemption: {text} GPU KV cache size: 7 tokens" for text in texts]
    dump = [f"env: {text}" for text in texts]
    middle = len(LOG) // 2
    lines = [*LOG[:middle], *noisy, *dump, *LOG[middle:], f"{PREFIX}EngineCore encountered a fatal error: {' '.join(texts[:3])}"]
    (folder / "server.log").write_text("\n".join(lines), encoding="utf-8")
    command = ["vllm", "serve", "acme/otter-8b", "--api-key", PLANTED[0].secret, "--served-model-name", *texts]
    env = {f"VLLM_SETTING_{number}": one.text for number, one in enumerate(PLANTED)}
    service = {"image": "vllm/vllm-openai:v0.21.0", "command": command, "environment": env, "restart": "always"}
    (folder / "compose.yaml").write_text(yaml.safe_dump({"services": {"otter": service}}), encoding="utf-8")
    unit = ["[Service]", "Restart=always", *(f"Environment='X{number}={one.text}'" for number, one in enumerate(PLANTED))]
    unit.append(f"ExecStart=/usr/bin/vllm serve acme/otter-8b --api-key {PLANTED[1].secret}")
    (folder / "otter.service").write_text("\n".join(unit) + "\n", encoding="utf-8")
    found = {**vllm_serve(), **{f"note_{number}": one.text for number, one in enumerate(PLANTED)}}
    (folder / "results.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


COMMANDS = [
    *(["check", "run", "--format", name] for name in FORMATS),
    *(["diff", "run", "again", "--format", name] for name in ("text", "json", "markdown")),
    *(["results", "run", "--format", name] for name in ("text", "json")),
    ["record", "run"],
    ["record", "run", "--redact", "full"],
    ["why", "run", "run.args"],
    ["why", "run", "engine.notices"],
    ["check", "run", "--write-baseline", "known.json", "-o", "sarif=out.sarif", "-o", "junit=out.xml"],
    ["check", "broken/server.log", "--format", "json", "-o", "markdown=error.md"],
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted")
    for name in ("run", "again", "broken"):
        (folder / name).mkdir()
    evidence(folder / "run")
    evidence(folder / "again")
    # An error that quotes what it could not use: the name of the member, and the line.
    (folder / "broken" / "server.log").write_text("\n".join(one.text for one in PLANTED), encoding="utf-8")
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_kind_is_seen_in_any_output(arguments: list[str], runs: Path, call: Call) -> None:
    before = set(runs.iterdir())
    done = call(*arguments, cwd=runs)
    assert done.code in (0, 1, 2, 3)
    assert "Traceback" not in done.err
    files = [path.read_text(encoding="utf-8") for path in set(runs.iterdir()) - before if path.is_file()]
    assert seen("\n".join([done.out, done.err, *files])) == set()
    if arguments[0] == "record":
        assert "<secret-" in done.out


def test_equal_secrets_share_a_mask_through_the_whole_record(runs: Path, call: Call) -> None:
    written = call("record", "run", cwd=runs).out
    ordinals = {int(number) for number in re.findall(r"<secret-(\d+)>", written)}
    assert ordinals
    assert max(ordinals) <= 2 * len(PLANTED)
