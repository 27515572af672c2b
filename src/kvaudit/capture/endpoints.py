"""Fetches the endpoints of a server into the run folder, and says which engine it is.

Room: `capture`. An endpoint that is closed (404, 403, 501) is a missing piece with its remedy; a server that does not answer at
all, too slowly, or no longer, ends the capture.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from kvaudit.capture.engines import ENDPOINTS, FIRST, METRICS, PROPS, Endpoint, engine_of, parsed
from kvaudit.capture.fetching import Answer, Server
from kvaudit.capture.folder import RunFolder, Writing
from kvaudit.capture.masking import masked_json, masked_text
from kvaudit.errors import InputError
from kvaudit.redaction import Redactor

_DENIED = (401, 403)
_PROCESS_START = "Process-Start-Time-Unix"
_PROBES = (PROPS, Endpoint(("/server_info",), "server_info.json", ""), Endpoint(("/get_server_info",), "server_info.json", ""))


@dataclass(slots=True)
class Asked:
    """What a server answered: engine, the path that gave it away, and every answer by path."""

    engine: str = ""
    by: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)

    def document(self, path: str) -> Any:
        """The JSON of an answer, None where there is none."""
        answer = self.answers.get(path)
        return parsed(answer.body) if answer is not None and answer.good else None


def ask(server: Server) -> Asked:
    """Find out which engine answers, in as few requests as that takes. Raises `InputError` where nobody does that is known."""
    asked = Asked()
    for probe in (*FIRST, *_PROBES):
        _get(server, asked, probe.paths[0])
        if found := engine_of(asked.answers):
            asked.engine, asked.by = found
            return asked
    raise InputError(server.base, _unknown(asked))


def _unknown(asked: Asked) -> str:
    said = ", ".join(f"{path} {answer.status}" for path, answer in asked.answers.items())
    if any(answer.status in _DENIED for answer in asked.answers.values()):
        return f"the server wants a key: put it into a variable and name that with --api-key-env NAME ({said})"
    return f"answers, but as no engine that kvaudit knows ({said}): is it the server itself, not a proxy or another service?"


def keep_endpoints(server: Server, asked: Asked, folder: RunFolder, redactor: Redactor, suffix: str = "") -> None:
    """Write every endpoint of the engine into `endpoints/`; closed ones are missing pieces with their remedy."""
    for endpoint in (FIRST[0], *ENDPOINTS.get(asked.engine, ())):
        answer = _first_good(server, asked, endpoint)
        if answer is not None:
            _keep(answer, endpoint, server.base, Writing(folder, redactor, suffix))
            continue
        tried = ", ".join(f"{path} {asked.answers[path].status}" for path in endpoint.paths)
        denied = any(asked.answers[path].status in _DENIED for path in endpoint.paths)
        remedy = "give the key with --api-key-env NAME" if denied else endpoint.remedy
        folder.miss(f"{endpoint.paths[0].partition('?')[0]}: {endpoint.what}", f"closed ({tried})", remedy)


def keep_metrics(server: Server, asked: Asked, folder: RunFolder, redactor: Redactor, suffix: str) -> None:
    """Write the counters alone: the moment before a command."""
    for endpoint in ENDPOINTS.get(asked.engine, ()):
        if endpoint.file == METRICS.file and (answer := _first_good(server, asked, endpoint)) is not None:
            _keep(answer, endpoint, server.base, Writing(folder, redactor, suffix))


def _first_good(server: Server, asked: Asked, endpoint: Endpoint) -> Answer | None:
    for path in endpoint.paths:
        answer = asked.answers.get(path) or _get(server, asked, path)
        if answer.good:
            return answer
    return None


def _get(server: Server, asked: Asked, path: str) -> Answer:
    answer = server.get(path)
    asked.answers[path] = answer
    return answer


def _keep(answer: Answer, endpoint: Endpoint, base: str, writing: Writing) -> None:
    redactor, suffix = writing.redactor, writing.suffix
    mask = masked_json if endpoint.file.endswith(".json") else masked_text
    stem, _, ending = endpoint.file.rpartition(".")
    suffix = suffix if endpoint.file == METRICS.file else ""
    source = redactor.mask(base + answer.path)
    seconds = round(answer.seconds, 3)
    writing.folder.add(
        f"endpoints/{stem}{suffix}.{ending}", mask(_with_head(answer), redactor), endpoint.what, source, seconds=seconds
    )


def _with_head(answer: Answer) -> bytes:
    """llama.cpp tells one process from the next in the head of its metrics alone; the line is kept as `curl -i` would show it."""
    started = answer.headers.get(_PROCESS_START.lower())
    head = f"HTTP/1.1 {answer.status} OK\n{_PROCESS_START}: {started}\n\n".encode() if started else b""
    return head + answer.body


def still_there(server: Server, asked: Asked) -> None:
    """Ask once more at the end: a server that died meanwhile, or was started anew, is no evidence of one run.

    Raises `InputError`.
    """
    again = server.get(FIRST[0].paths[0])
    before = asked.answers[FIRST[0].paths[0]]
    if again.status != before.status or model_names(again.body) != model_names(before.body):
        raise InputError(server.base, "another server answers there than at the beginning; nothing was kept")


def model_names(body: bytes) -> list[str]:
    """The ids of a list of models."""
    document = parsed(body)
    listed = document.get("data") if isinstance(document, dict) else None
    return [str(one.get("id")) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def version_of(asked: Asked) -> str | None:
    """The version as an endpoint of the engine prints it; of llama.cpp its build."""
    for path in ("/version", "/api/version", "/server_info", "/get_server_info", "/info", "/props"):
        document = asked.document(path)
        version = document.get("build_info" if path == "/props" else "version") if isinstance(document, dict) else None
        if isinstance(version, str):
            return version
    return None


def served_path(asked: Asked) -> str | None:
    """The model's path as the server names it."""
    models, props = asked.document("/v1/models"), asked.document("/props")
    if isinstance(props, dict) and isinstance(props.get("model_path"), str):
        return str(props["model_path"])
    listed = models.get("data") if isinstance(models, dict) else None
    roots = [one.get("root") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    if roots and isinstance(roots[0], str):
        return roots[0]
    info = asked.document("/model_info") or asked.document("/get_model_info")
    path = info.get("model_path") if isinstance(info, dict) else None
    return path if isinstance(path, str) else None


def to_bytes(document: Any) -> bytes:
    """A document as it is written into a run folder."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
