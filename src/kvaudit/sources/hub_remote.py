"""A checkpoint on the Hub: JSON files through the cache of huggingface_hub, weights by range requests.

Room: `sources`. huggingface_hub is imported when an address is typed. Weights are never downloaded; of a file of weights no more
than the ranges that a parser asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kvaudit.errors import InputError
from kvaudit.redaction import Redactor
from kvaudit.sources.hub_address import DOCUMENTS, Address, Snapshot, is_wanted, refuse_choice
from kvaudit.sources.scan import DOCUMENT_BYTES
from kvaudit.sources.source import Source
from kvaudit.sources.weights import LONGEST_RANGE, form_of, header_source

MOST_HEADERS = 64
"""Files of weights whose header is fetched; of a larger checkpoint the index has to do."""

_FIRST_BYTES = 1 << 18
_TIMEOUT_SECONDS = 15.0


class UnreachableError(Exception):
    """The Hub did not answer: no network, no name, no time."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A commit, and the sizes of the files at the top of the repository; None where the Hub does not say."""

    commit: str
    sizes: dict[str, int | None]


def fetched(address: Address, redactor: Redactor) -> Snapshot:
    """The wanted files of a repository. Raises `InputError` for what the Hub refuses, `UnreachableError` without an answer."""
    with _answers(address):
        listing = list_files(address)
    found = Snapshot(listing.commit)
    names = [name for name in sorted(listing.sizes) if "/" not in name and is_wanted(address, name)]
    refuse_choice(address, names)
    for name in names:
        if name in DOCUMENTS:
            if (listing.sizes[name] or 0) > DOCUMENT_BYTES:
                raise InputError(address.shown(listing.commit, name), f"larger than {DOCUMENT_BYTES >> 20} MiB")
            with _answers(address):
                found.documents[name] = download(address, listing.commit, name)
    weights = [name for name in names if name not in DOCUMENTS]
    if len(weights) > MOST_HEADERS and "model.safetensors.index.json" in found.documents:
        found.notes.append(f"{len(weights)} files of weights: their headers were not fetched")
        weights = []
    found.weights = [_weights(address, listing, name, redactor) for name in weights]
    return found


def list_files(address: Address) -> Listing:
    """What the Hub says of a repository at a revision."""
    from huggingface_hub import HfApi

    info = HfApi().model_info(address.repository, revision=address.revision, files_metadata=True, timeout=_TIMEOUT_SECONDS)
    return Listing(str(info.sha), {sibling.rfilename: sibling.size for sibling in info.siblings or []})


def download(address: Address, commit: str, name: str) -> Path:
    """One JSON file, taken from the cache where it is there."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    return Path(hf_hub_download(address.repository, name, revision=commit))


def read_range(address: Address, commit: str, name: str, start: int, length: int) -> bytes:
    """Bytes of a file of weights, by a range request."""
    from huggingface_hub import HfFileSystem

    path = f"{address.repository}@{commit}/{name}"
    with HfFileSystem().open(path, "rb", block_size=_FIRST_BYTES, cache_type="none") as stream:
        stream.seek(start)
        return bytes(stream.read(length))


def _weights(address: Address, listing: Listing, name: str, redactor: Redactor) -> Source:
    ranges = RemoteRanges(address, listing.commit, name, listing.sizes[name])
    shown = address.shown(listing.commit, name)
    form = form_of(ranges(0, 16))
    if form is None:
        raise InputError(shown, "neither safetensors nor GGUF, whatever its name says")
    source = header_source(shown, listing.sizes[name] or ranges.known_size, form, redactor)
    source.ranges = ranges
    return source


@dataclass(slots=True)
class RemoteRanges:
    """Ranges of one file on the Hub. The first bytes, which hold most headers, are fetched once."""

    address: Address
    commit: str
    name: str
    size: int | None
    _first: bytes | None = field(default=None)

    @property
    def known_size(self) -> int:
        """The size, or the most that can be read where the Hub does not say."""
        return self.size or LONGEST_RANGE

    def __call__(self, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`. Raises `InputError` naming the file."""
        end = min(start + min(length, LONGEST_RANGE), self.known_size)
        if start >= end:
            return b""
        try:
            return self._read(start, end)
        except UnreachableError as error:
            raise InputError(self.address.shown(self.commit, self.name), f"the Hub cannot be reached: {error}") from error

    def _read(self, start: int, end: int) -> bytes:
        with _answers(self.address):
            if self._first is None:
                self._first = read_range(self.address, self.commit, self.name, 0, min(_FIRST_BYTES, self.known_size))
            if end <= len(self._first):
                return self._first[start:end]
            return read_range(self.address, self.commit, self.name, start, end - start)


@contextmanager
def _answers(address: Address) -> Iterator[None]:
    """Turns what huggingface_hub raises into errors that say what to do."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise _translated(address, error) from error


def _translated(address: Address, error: Exception) -> Exception:
    from huggingface_hub import errors

    refused: tuple[tuple[type[Exception], Callable[[], str]], ...] = (
        (errors.GatedRepoError, lambda: "gated: accept its terms on the Hub, and give a token that may read it (HF_TOKEN)"),
        (errors.RepositoryNotFoundError, lambda: "not on the Hub, or private and no token that may read it (HF_TOKEN)"),
        (errors.RevisionNotFoundError, lambda: f"the repository has no revision {address.revision or 'main'}"),
        (errors.HFValidationError, lambda: "no name that a repository on the Hub can have"),
    )
    for kind, words in refused:
        if isinstance(error, kind):
            return InputError(address.written, words())
    status = _status(error)
    if status is not None and status not in (429, 500, 502, 503, 504):
        return InputError(address.written, f"the Hub refuses it with status {status}")
    return UnreachableError(_first_line(error) if status is None else f"status {status}")


def _status(error: Any) -> int | None:
    code = getattr(getattr(error, "response", None), "status_code", None)
    return code if isinstance(code, int) else None


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:120]
