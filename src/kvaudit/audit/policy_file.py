"""Finds and reads the policy file: `kvaudit.toml`, or `[tool.kvaudit]` in `pyproject.toml`, of the repository.

Room: `audit`. A file is found at the root of the repository that the working directory is in (the working directory itself where
there is none), and never in a directory that holds evidence of this call: a run folder must not say how it is judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kvaudit.audit.policy import Policy
from kvaudit.errors import InputError, UsageError, did_you_mean
from kvaudit.sources.arm import split_label

if TYPE_CHECKING:
    from pydantic import ValidationError

OWN_FILE, PROJECT_FILE = "kvaudit.toml", "pyproject.toml"
LARGEST = 1 << 20
_ROOT_MARKS = (".git", ".hg", ".jj")


@dataclass(slots=True)
class InForce:
    """The policy in force, the files it was read from (as shown), and what a user should know about the search."""

    given: dict[str, Any] = field(default_factory=dict)
    """The keys that are set, with their values."""
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def policy(self) -> Policy:
        """All of it as one policy."""
        return Policy(**self.given)


def policy_in_force(
    evidence: Iterable[str], *, config: str | None = None, policy: str | None = None, isolated: bool = False
) -> InForce:
    """The policy of this call: the settings file that is found or named by `config`, and over it the file `policy`.

    Raises `UsageError` and `InputError`, which names file and key.
    """
    if isolated and config:
        raise UsageError("--isolated reads no settings file, --config names one: give one of them")
    found = InForce()
    if config:
        _add(found, config, load(Path(config), config))
    elif not isolated and not policy:
        _find(found, list(evidence))
    if policy:
        _add(found, policy, load(Path(policy), policy))
    return found


def load(path: Path, shown: str) -> dict[str, Any]:
    """The keys that one policy file sets; of a `pyproject.toml` its table [tool.kvaudit]. Raises `InputError` naming the key."""
    document = _document(path, shown)
    if path.name == PROJECT_FILE:
        document = _table(document) or {}
    return _given(document, shown)


def _find(found: InForce, evidence: list[str]) -> None:
    """The own file goes before the project's; what lies beside evidence is not even parsed."""
    root = repository_root(Path.cwd())
    for path in (root / OWN_FILE, root / PROJECT_FILE):
        if not path.is_file() or not _mentions_us(path):
            continue
        shown = _shown(path)
        if holds_evidence(path.resolve().parent, evidence) or holds_evidence(root, evidence):
            found.notes.append(f"{shown} was not used, because its folder holds evidence of this call; --config FILE names it")
            return
        if path.name == OWN_FILE or _table(_document(path, shown)) is not None:
            _add(found, shown, load(path, shown))
            return


def _mentions_us(path: Path) -> bool:
    """Whether a file may be a policy: every `kvaudit.toml`, and a `pyproject.toml` that names the table."""
    if path.name == OWN_FILE:
        return True
    try:
        with path.open("rb") as stream:
            return b"tool.kvaudit" in stream.read(LARGEST)
    except OSError:
        return False


def _shown(path: Path) -> str:
    return path.name if path.parent == Path.cwd() else str(path)


def repository_root(folder: Path) -> Path:
    """The nearest folder from here upwards that is the root of a repository; this folder where there is none."""
    return next((one for one in (folder, *folder.parents) if any((one / mark).exists() for mark in _ROOT_MARKS)), folder)


def holds_evidence(folder: Path, evidence: Iterable[str]) -> bool:
    """Whether a piece of evidence lies in this folder itself, or the folder lies in one that was given as evidence."""
    folder = folder.resolve()
    for argument in evidence:
        _, given = split_label(argument)
        path = Path(given.partition("#")[0] if not Path(given).exists() else given)
        if given == "-" or "://" in given or not path.exists():
            continue
        if folder.is_relative_to(path.resolve()) if path.is_dir() else path.resolve().parent == folder or path.parent == folder:
            return True
    return False


def _document(path: Path, shown: str) -> dict[str, Any]:
    import tomllib

    try:
        if path.stat().st_size > LARGEST:
            raise InputError(shown, f"larger than {LARGEST} bytes")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(shown, error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(shown, f"no TOML: {error}") from error


def _table(document: dict[str, Any]) -> dict[str, Any] | None:
    tool = document.get("tool")
    table = tool.get("kvaudit") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def _given(document: dict[str, Any], shown: str) -> dict[str, Any]:
    from pydantic import ValidationError

    from kvaudit.audit.policy_model import given_in

    try:
        return given_in(document)
    except ValidationError as error:
        raise InputError(shown, "; ".join(_faults(error))) from error
    except RecursionError as error:
        raise InputError(shown, "nested too deeply") from error


def _faults(error: ValidationError) -> list[str]:
    """`require: kv_cache.dtpe: no field is called that`: one sentence for each key at fault."""
    said: dict[str, str] = {}
    for one in error.errors():
        place = [str(part) for part in one["loc"] if not _is_branch(part)]
        text = one["msg"].removeprefix("Value error, ")
        if one["type"] == "extra_forbidden":
            text = f"no such key{did_you_mean(place[-1], Policy.__dataclass_fields__)}"
        said.setdefault(".".join(place), text)
    return [f"{key}: {text}" for key, text in said.items()]


_BRANCHES = ("bool", "int", "float", "str", "Bound")


def _is_branch(part: int | str) -> bool:
    """Pydantic names the member of a union that it tried; a user never wrote that."""
    return part in _BRANCHES or str(part).startswith(("list[", "function-"))


def _add(found: InForce, shown: str, given: dict[str, Any]) -> None:
    found.given = over(given, found.given)
    found.files.append(shown)


def over(upper: dict[str, Any], lower: dict[str, Any]) -> dict[str, Any]:
    """Two policies as one: what the upper one sets holds; tables are joined by key, lists are added."""
    joined = dict(lower)
    for name, value in upper.items():
        below = joined.get(name)
        if isinstance(value, dict) and below:
            value = {**below, **value}
        elif isinstance(value, list) and below:
            value = [*below, *value]
        joined[name] = value
    return joined
