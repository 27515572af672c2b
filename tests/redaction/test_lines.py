"""Secrets over several lines: every line of a key is masked and stays where it was, and no line around it is touched."""

from __future__ import annotations

import time

import pytest

from kvaudit.redaction import Redactor
from kvaudit.redaction.lines import LineMasker

_BODY = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDQ7xZkWmYvPq3t", "abcdefghijklmnopqrstuvwxyz" * 2, "tail+Q7=", "zz=="]
BLOCK = ["-----BEGIN RSA PRIVATE KEY-----", *_BODY, "-----END RSA PRIVATE KEY-----"]
HEADERS = [
    "-----BEGIN EC PRIVATE KEY-----",
    "Proc-Type: 4,ENCRYPTED",
    "DEK-Info: AES-128-CBC,0A0B",
    "",
    *_BODY,
    "-----END EC PRIVATE KEY-----",
]
ARMOUR = ["-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: 1", "", *_BODY, "=q7Zx", "-----END PGP PRIVATE KEY BLOCK-----"]
AROUND = ["INFO start", "GPU KV cache size: 7 tokens"]


def masked(lines: list[str]) -> list[str]:
    masker = LineMasker(Redactor())
    return [masker.mask(line) for line in lines]


PREFIXES = {
    "alone": "{}",
    "in YAML": "    {}",
    "of a log": "WARNING 06-12 09:12:13 [core.py:114] {}",
    "of an orchestrator": "2026-06-12T09:12:{number:02d}.123456789Z stdout F {}",
    "of docker": '{{"log":"{}\\n","stream":"stdout","time":"2026-06-12T09:12:{number:02d}.123Z"}}',
}


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("block", [BLOCK, HEADERS, ARMOUR])
def test_a_key_block_is_masked_to_its_short_last_line(prefix: str, block: list[str]) -> None:
    lines = [PREFIXES[prefix].format(line, number=number) for number, line in enumerate([*AROUND, *block, *AROUND])]
    done = masked(lines)
    assert len(done) == len(lines)
    assert not any(part in line for line in done for part in (*_BODY, "q7Zx"))
    assert done[:3] + done[-3:] == lines[:3] + lines[-3:]
    assert masked(done) == done, "nothing is masked twice"


def test_a_block_that_was_cut_off_ends_with_the_next_line_of_another_kind() -> None:
    done = masked([BLOCK[0], _BODY[0], *AROUND, "word", "zz=="])
    assert done == [BLOCK[0], "<secret-1>", *AROUND, "word", "zz=="]


def test_a_block_on_one_line_opens_none() -> None:
    one = "tls: " + "\\n".join(BLOCK)
    assert masked([one, "word"]) == ["tls: <secret-1>", "word"]


def test_a_public_certificate_opens_none() -> None:
    assert masked(["-----BEGIN CERTIFICATE-----", "word", "-----END CERTIFICATE-----"])[1] == "word"


BEHIND = [
    (["    - --api-key", "    - kestrel", "    - --port"], "    - <secret-1>"),
    (["      --api-key", "      kestrel", "      --port"], "      <secret-1>"),
    (['  "--api-key",', '  "kes trel",', '  "--port"'], '  "<secret-1>",'),
    (["  --api-key \\", "  kestrel \\", "  --port 80"], "  <secret-1> \\"),
    (["- name: HF_TOKEN", "  value: kestrel", "- name: A"], "  value: <secret-1>"),
    (['- name: "HF_TOKEN"', "  value: 'kes trel'", "- name: A"], "  value: '<secret-1>'"),
    (["hf_token: >-", "  kestrel", "port: 80"], "  <secret-1>"),
    (["- --api-key", "- --port", "- '80'"], "- --port"),
    (["- --port", "- kestrel", "- x"], "- kestrel"),
    (["- name: HF_TOKEN", "  valueFrom:", "    secretKeyRef:"], "  valueFrom:"),
    (["- name: HF_TOKEN", '  value: ""', "- name: A"], '  value: ""'),
    (["  --hf-token", "  Access token of the Hub.", "  --port"], "  Access token of the Hub."),
]


@pytest.mark.parametrize(("lines", "second"), BEHIND)
def test_a_value_on_the_line_behind_its_name(lines: list[str], second: str) -> None:
    assert masked(lines) == [lines[0], second, lines[2]]


@pytest.mark.parametrize("line", ["-----BEGIN PRIVATE KEY-----", "- --api-key", "a " * 40, "-----BEGIN PRIVATE KEY----- x " * 9])
def test_many_lines_cost_in_proportion(line: str) -> None:
    def cost(count: int) -> float:
        started = time.process_time()
        masked([f"{line}{number}" for number in range(count)])
        return time.process_time() - started

    cost(50)
    assert cost(4000) < 8 * 4 * cost(1000) + 0.2
