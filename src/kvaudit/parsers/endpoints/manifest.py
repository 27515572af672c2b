"""`manifest.json` of a run folder: which engine answered, its version, what is missing.

Room: `parsers.endpoints`. The document `capture` of this program. Versions of installed packages are inferred evidence: the
folder that the process uses is known, what it imported from there is not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kvaudit.errors import InputError
from kvaudit.parsers.checkpoint.positions import pointer_of
from kvaudit.parsers.endpoints.answer import AnswerParser, answer_of, as_object, text, whole
from kvaudit.parsers.facts import Reading
from kvaudit.sources.source import Source

DOCUMENT, VERSION = "capture", 1
PACKAGES = {"vllm": "vllm", "sglang": "sglang", "tensorrt_llm": "tensorrt-llm", "lmdeploy": "lmdeploy"}
"""The package that carries an engine's version."""

_MOST_NOTES = 40


class CaptureManifest(AnswerParser):
    """Reads the manifest of a capture."""

    name = "kvaudit:manifest"
    kind = "manifest"

    def recognises(self, source: Source) -> float:
        """A JSON object that says `"document": "capture"` at its start."""
        head = source.head.lstrip()[:200].replace(" ", "").replace("\n", "")
        return 1.0 if head.startswith('{"document":"capture"') else 0.0

    def read(self, source: Source) -> Reading:
        """Engine and version; missing pieces as notes. Raises `InputError` where it is damaged or of another version."""
        answer = answer_of(source, self.name)
        if answer.value.get("version") != VERSION:
            raise InputError(source.path, "a manifest of another document version; capture the server again")
        engine = as_object(answer.value.get("engine"))
        name = text(engine.get("name"))
        answer.say("engine.name", name, "observed", "/engine/name")
        installed = as_object(answer.value.get("packages"))
        package = PACKAGES.get(name or "", "")
        version = (text(installed.get(package)) or "").partition("+")[0] or None
        how = "the package in the environment that the server's process uses"
        answer.say("engine.version", version, "inferred", pointer_of("packages", package), how=how)
        if family := _family(as_object(answer.value.get("process")).get("processes")):
            how = "the process that listens on the server's port, and all that descend from it"
            answer.say("clue.process_ids", {"server": family}, "observed", "/process/processes", how=how)
        answer.say("clue.raw_configuration", _surroundings(answer.value) or None, "observed")
        reading = answer.reading(None, list(_missing(answer.value.get("missing"))))
        return replace(reading, kind=self.kind)


def _family(listed: Any) -> list[int]:
    """The ids of the server's processes on its host."""
    members = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [pid for one in members if (pid := whole(one.get("pid"))) is not None]


def _surroundings(manifest: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Packages and variables, for everything else that differs. A mask says nothing about what it hides."""
    held = {"packages": manifest.get("packages"), "environment": as_object(manifest.get("process")).get("environment")}
    plain = {
        name: {key: value for key, value in as_object(found).items() if isinstance(value, str) and "<secret-" not in value}
        for name, found in held.items()
    }
    return {name: found for name, found in plain.items() if found}


def _missing(listed: Any) -> list[str]:
    pieces = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [f"missing: {one.get('what')}: {one.get('why')}" for one in pieces[:_MOST_NOTES]]
