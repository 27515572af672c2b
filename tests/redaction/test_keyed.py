"""Masks with a key: the same in every call that has it, and of no use to those who have not."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from kvaudit.redaction import Redactor
from tests.cli.conftest import Call, call
from tests.conftest import ROOT

__all__ = ["call"]

KEY, OTHER_KEY = b"0123456789abcdef", b"fedcba9876543210"
SECRET = "Zq81LkWw90aXcPd7"  # noqa: S105 - invented
LOG = ROOT / "fixtures" / "vllm" / "hostile-lines" / "server.log"
KEYED = re.compile(r"<secret-k[0-9a-f]{16}>")


def test_the_mask_of_a_secret_is_the_same_in_every_call_with_the_key() -> None:
    first, second = Redactor("default", KEY), Redactor("default", KEY)
    second.mask("api_key=another-secret")
    assert first.mask(f"api_key={SECRET}") == second.mask(f"--api-key {SECRET}").replace("--api-key ", "api_key=")
    assert KEYED.search(first.mask(f"api_key={SECRET}"))


def test_another_key_and_another_secret_give_another_mask() -> None:
    masks = {Redactor("default", key).mask(f"api_key={secret}") for key in (KEY, OTHER_KEY) for secret in (SECRET, SECRET[::-1])}
    assert len(masks) == 4


def test_a_mask_is_no_digest_of_the_secret_alone() -> None:
    mask = Redactor("default", KEY).mask(f"api_key={SECRET}")
    digests = [hashlib.new(name, SECRET.encode()).hexdigest() for name in ("md5", "sha1", "sha256", "sha512")]
    assert not any(digest[:8] in mask for digest in digests)


def test_nothing_is_masked_twice() -> None:
    redactor = Redactor("full", KEY)
    once = redactor.mask(f"api_key={SECRET} host=gpu-07 /srv/runs/a HF_TOKEN='{SECRET}'")
    assert redactor.mask(once) == once
    assert Redactor().mask(once) == once


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(KEY + b"\n")
    return path


def masks_of(written: str) -> set[str]:
    return set(KEYED.findall(written))


def test_records_of_two_calls_share_masks(key_file: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT_KEY", KEY.decode())
    by_file = call("record", LOG, "--redact-key", key_file)
    by_variable = call("record", LOG, "--redact-key", "AUDIT_KEY")
    assert by_file.code == by_variable.code == 0
    assert masks_of(by_file.out)
    assert json.loads(by_file.out) == json.loads(by_variable.out)
    assert KEY.decode() not in by_file.out + by_variable.out


@pytest.mark.parametrize("command", [["check", str(LOG)], ["diff", str(LOG), str(LOG)], ["why", str(LOG), "run.args"]])
def test_every_command_that_masks_takes_the_key(command: list[str], key_file: Path, call: Call) -> None:
    done = call(*command, "--redact-key", key_file)
    assert done.code in (0, 1, 3)
    assert "<secret-1>" not in done.out


def test_a_baseline_made_with_a_key_holds_without_one(key_file: Path, tmp_path: Path, call: Call) -> None:
    pair = [str(ROOT / "fixtures" / "demo" / "bad" / arm) for arm in "ab"]
    call("diff", *pair, "--redact-key", key_file, "--write-baseline", tmp_path / "known.json")
    done = call("diff", *pair, "--baseline", tmp_path / "known.json", "--format", "json")
    assert done.json["summary"]["error"] == 0
    assert done.json["summary"]["suppressed"] > 0


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 5000])
def test_a_key_that_is_too_short_or_too_long_is_refused(content: bytes, tmp_path: Path, call: Call) -> None:
    (tmp_path / "key").write_bytes(content)
    done = call("record", LOG, "--redact-key", tmp_path / "key")
    assert (done.code, done.out) == (2, "")
    assert "16 to 4096 bytes" in done.err


def test_a_key_on_the_command_line_is_refused_and_not_repeated(call: Call) -> None:
    done = call("record", LOG, "--redact-key", "my-very-secret-key-0123456789")
    assert done.code == 2
    assert "never takes the key itself" in done.err
    assert "my-very-secret" not in done.err + done.out
