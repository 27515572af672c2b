"""One and the same log through every wrapper, encoding and compression gives the same record.

What may differ is only where things stand: line, file, wrapper, size and hash, and notes about what was met.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvaudit.record.build import Options, read_arm
from kvaudit.redaction import Redactor
from kvaudit.shapes import plain as plain_data
from kvaudit.sources import scan
from tests.sources.writers import COMPRESSIONS, ENCODINGS, LOG, WRAPPERS, plain

_PLACES = {"line", "file", "first_line", "last_line", "label", "sources"}


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(item) for key, item in value.items() if key not in _PLACES}
    return [_without_places(item) for item in value] if isinstance(value, list) else value


def _record(path: Path, data: bytes) -> Any:
    path.write_bytes(data)
    record = read_arm([str(path)], Redactor(), Options(local_checkpoint=False))
    return _without_places(plain_data(record))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    record = _record(tmp_path_factory.mktemp("plain") / "server.log", plain(LOG))
    fields = record["fields"]
    assert fields["kv_cache.tokens"]["value"] == 393_216
    assert fields["kv_cache.dtype"]["value"] == "fp8_e4m3"
    assert fields["engine.ready"]["value"] is True
    return record


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrapper(wrapper: str, tmp_path: Path, expected: Any) -> None:
    assert _record(tmp_path / "server.log", WRAPPERS[wrapper](LOG)) == expected


@pytest.mark.parametrize("wrapper", ["docker-json", "cri", "journald-short", "kubectl timestamps", "compose", "grep -n", "ansi"])
def test_wrapper_of_a_log_too_large_to_be_kept(wrapper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "DOCUMENT_BYTES", 1_000)
    kept = _record(tmp_path / "server.log", plain(LOG))
    assert _record(tmp_path / "server.log", WRAPPERS[wrapper](LOG)) == kept


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encoding(encoding: str, tmp_path: Path, expected: Any) -> None:
    assert _record(tmp_path / "server.log", ENCODINGS[encoding](plain(LOG))) == expected


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compression(compression: str, tmp_path: Path, expected: Any) -> None:
    assert _record(tmp_path / "server.log", COMPRESSIONS[compression](plain(LOG))) == expected


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    wrapper=st.sampled_from(sorted(WRAPPERS)),
    encoding=st.sampled_from(sorted(set(ENCODINGS) - {"a hole of NUL bytes in front"})),
    compression=st.sampled_from([None, *COMPRESSIONS]),
)
def test_all_together(wrapper: str, encoding: str, compression: str | None, tmp_path: Path, expected: Any) -> None:
    data = ENCODINGS[encoding](WRAPPERS[wrapper](LOG))
    if compression:
        data = COMPRESSIONS[compression](data)
    assert _record(tmp_path / "server.log", data) == expected
