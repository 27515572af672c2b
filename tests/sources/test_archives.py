"""Run folders in archives: read member by member, nothing outside is ever named or touched."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from kvaudit.sources import archives
from kvaudit.sources.compression import Budget
from tests.sources.reading import error_of, found_in, record_of
from tests.sources.writers import LOG, docker, plain

CONFIG = b'{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32}'
MEMBERS = {"run/logs/server.log": plain(LOG), "run/config.json": CONFIG, "run/notes.txt": b"nothing of use\n"}


def tar_of(members: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return out.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


PACKINGS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "run.tar": tar_of,
    "run.tar.gz": lambda members: gzip.compress(tar_of(members)),
    "run.tar.zst": lambda members: zstandard.compress(tar_of(members)),
    "run.zip": zip_of,
    "named-like-nothing": lambda members: gzip.compress(tar_of(members)),
}


@pytest.mark.parametrize("name", PACKINGS)
def test_an_archive_is_a_run_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKINGS[name](MEMBERS))
    record = record_of(tmp_path / name)
    kinds = {source.path.removeprefix(f"{tmp_path}/{name}/"): source.kind for source in record.sources}
    assert kinds == {"run/logs/server.log": "engine-log", "run/config.json": "checkpoint", "run/notes.txt": "ignored"}
    assert record.value("kv_cache.tokens") == 393_216
    assert record.value("model.layers") == 32


@pytest.mark.parametrize("name", PACKINGS)
def test_the_folder_and_its_archive_give_the_same_values(name: str, tmp_path: Path) -> None:
    for member, data in MEMBERS.items():
        path = tmp_path / "unpacked" / member
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / name).write_bytes(PACKINGS[name](MEMBERS))
    folder, archive = record_of(tmp_path / "unpacked"), record_of(tmp_path / name)
    assert {key: state.value for key, state in archive.fields.items()} == {
        key: state.value for key, state in folder.fields.items()
    }


@pytest.mark.parametrize("make", [tar_of, zip_of], ids=["tar", "zip"])
def test_names_that_leave_the_archive_are_refused_and_named(make: Callable[[dict[str, bytes]], bytes], tmp_path: Path) -> None:
    names = ["/etc/server.log", "../server.log", "a/../../server.log", "C:/server.log"]
    (tmp_path / "run").write_bytes(make({"server.log": plain(LOG), **dict.fromkeys(names, plain(LOG))}))
    found = {one.shown.removeprefix(f"{tmp_path}/run/"): one for one in found_in(tmp_path / "run").values()}
    assert {name for name, one in found.items() if "leaves the archive" in one.why_ignored} == set(names)
    assert found["server.log"].source is not None


def test_links_and_devices_are_refused_and_named(tmp_path: Path) -> None:
    more = [
        special("link.log", tarfile.SYMTYPE, "/etc/passwd"),
        special("hard.log", tarfile.LNKTYPE, "server.log"),
        special("pipe.log", tarfile.FIFOTYPE),
        special("disk.log", tarfile.BLKTYPE),
    ]
    (tmp_path / "run.tar").write_bytes(tar_of({"server.log": plain(LOG)}, *more))
    found = found_in(tmp_path / "run.tar")
    assert {name: one.why_ignored for name, one in found.items() if one.source is None} == {
        "link.log": "a link; refused",
        "hard.log": "a link; refused",
        "pipe.log": "not a regular file; refused",
        "disk.log": "not a regular file; refused",
    }


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        info = zipfile.ZipInfo("link.log")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    assert found_in(tmp_path / "run.zip")["link.log"].why_ignored == "a link; refused"


def test_compressed_members_are_opened_and_inner_archives_are_not(tmp_path: Path) -> None:
    members = {
        "server.log.gz": gzip.compress(docker(LOG)),
        "inner.zip": zip_of(MEMBERS),
        "old.tgz": gzip.compress(tar_of(MEMBERS)),
    }
    (tmp_path / "run.tar").write_bytes(tar_of(members))
    found = found_in(tmp_path / "run.tar")
    assert found["server.log.gz"].source is not None
    assert found["server.log.gz"].source.wrapper == "docker-json"
    assert "archive inside" in found["inner.zip"].why_ignored
    assert "archive inside" in found["old.tgz"].why_ignored


def test_members_below_the_depth_do_not_count_and_the_packed_folder_is_no_depth(tmp_path: Path) -> None:
    names = ["run/a/b/server.log", "run/a/b/c/deep.log", "run/a/b/c/d/deeper.log"]
    (tmp_path / "run.tar").write_bytes(tar_of(dict.fromkeys(names, plain(LOG))))
    assert list(found_in(tmp_path / "run.tar")) == ["run/a/b/server.log"]


def test_the_later_member_of_a_name_counts(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for data in (plain(LOG[:5]), plain(LOG)):
            info = tarfile.TarInfo("server.log")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    (tmp_path / "run.tar").write_bytes(out.getvalue())
    (found,) = found_in(tmp_path / "run.tar").values()
    assert found.source is not None
    assert found.source.lines == len(LOG)


@pytest.mark.parametrize("name", [name for name in PACKINGS if "." in name])
@pytest.mark.parametrize("kept", [0.3, 0.6])
def test_a_damaged_archive_is_an_error_that_names_it(name: str, kept: float, tmp_path: Path) -> None:
    data = PACKINGS[name]({**MEMBERS, "run/second.log": bytes(range(256)) * 40 + plain(LOG)})
    (tmp_path / name).write_bytes(data[: int(len(data) * kept)])
    error = error_of(tmp_path / name)
    assert error.path.startswith(str(tmp_path / name))
    assert "damaged" in error.message


def test_a_zip_member_with_a_wrong_checksum_is_damage(tmp_path: Path) -> None:
    data = bytearray(zip_of({"server.log": plain(LOG)}))
    data[data.index(b"PK\x01\x02") + 16] ^= 0xFF
    (tmp_path / "run.zip").write_bytes(bytes(data))
    assert "damaged" in error_of(tmp_path / "run.zip").message


def test_too_many_members_are_cut_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    (tmp_path / "run.tar").write_bytes(tar_of({f"{number}.log": b"x\n" for number in range(9)}))
    found = list(found_in(tmp_path / "run.tar").values())
    assert len(found) == 4
    assert "members in this archive" in found[-1].why_ignored


def test_a_member_that_unfolds_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "Budget", lambda: Budget(1 << 16))
    (tmp_path / "run.zip").write_bytes(zip_of({"server.log": b"x\n" * (1 << 17)}))
    assert "unfolds into more than" in error_of(tmp_path / "run.zip").message


def test_a_header_of_a_gigabyte_is_damage(tmp_path: Path) -> None:
    info = special("x", tarfile.XHDTYPE)
    info.size = 1 << 30
    (tmp_path / "run.tar").write_bytes(info.tobuf() + bytes(1 << 12))
    assert "damaged archive" in error_of(tmp_path / "run.tar").message


def test_an_encrypted_member_is_named(tmp_path: Path) -> None:
    data = bytearray(zip_of({"server.log": plain(LOG)}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "run.zip").write_bytes(bytes(data))
    assert found_in(tmp_path / "run.zip")["server.log"].why_ignored == "encrypted; not read"


def test_a_method_whose_memory_has_no_bound_is_named(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.log", plain(LOG), zipfile.ZIP_LZMA)
        archive.writestr("server.log", plain(LOG), zipfile.ZIP_BZIP2)
    (tmp_path / "run.zip").write_bytes(out.getvalue())
    record = record_of(tmp_path / "run.zip")
    assert record.value("kv_cache.tokens") == 393_216
    assert {source.path.rpartition("/")[2]: source.notes for source in record.sources}["a.log"] == [
        "compressed by method 14; not read"
    ]


@pytest.mark.parametrize("large", [False, True])
def test_the_directory_of_a_zip_is_bounded(large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.comment = b"a comment at the end"
        for number in range(40):
            archive.writestr(f"{number:0100d}.txt", b"x")
        archive.writestr("server.log", plain(LOG))
    (tmp_path / "run.zip").write_bytes(out.getvalue())
    monkeypatch.setattr(archives, "_LARGEST_DIRECTORY", 40 * 146 if large else 42 * 146)  # 46 bytes and the name
    if large:
        assert "directory is larger" in error_of(tmp_path / "run.zip").message
    else:
        assert record_of(tmp_path / "run.zip").value("kv_cache.tokens") == 393_216
