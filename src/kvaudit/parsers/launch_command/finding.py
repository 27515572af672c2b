"""Finds the server's command among the words of a simple command: behind wrappers, inside `sh -c`, behind an image's name.

Room: `parsers.launch_command`. Conservative: an engine's program counts at the place of a program only, never as an argument of
something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from kvaudit.parsers.launch_command.engines import IMAGES, MODULES, PROGRAMS, Engine
from kvaudit.parsers.launch_command.options import LaunchCommand, read_arguments
from kvaudit.parsers.launch_command.published import of_run
from kvaudit.parsers.launch_command.shell import commands
from kvaudit.parsers.launch_command.words import Piece, Word
from kvaudit.patterns import LatePattern

ASSIGNMENT = LatePattern(r"^[A-Za-z_][A-Za-z0-9_]*=")
_PYTHON = LatePattern(r"^python[0-9.]*(?:\.exe)?$|^pypy3?$")
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh"))
_WRAPPERS_WORDS = """
    env exec nohup time sudo stdbuf numactl taskset nice ionice timeout setsid chrt unbuffer xvfb-run systemd-run runuser su
    uv uvx pipenv poetry conda mamba micromamba pixi srun mpirun mpiexec torchrun ray command builtin catchsegv doas trtllm-
    llmapi-launch nsys ncu gdb strace proxychains4 tini dumb-init
"""
_WRAPPERS = frozenset(_WRAPPERS_WORDS.split())
_CONTAINERS = frozenset(("docker", "podman", "nerdctl", "apptainer", "singularity", "enroot"))
_WITH_NETWORK = frozenset(("docker", "podman", "nerdctl"))
"""The others run in the network of the host."""
_NEAR, _MOST_PREFIX = 6, 60
_IMAGES = tuple((LatePattern(pattern), engine) for pattern, engine in IMAGES)
_MODULES_BY_FILE = {f"{module.replace('.', '/')}.py": engine for module, engine in MODULES.items()}


def engine_command(words: Sequence[Word], depth: int = 0) -> LaunchCommand | None:
    """The server's command in the words of one simple command, None where they start something else."""
    environment, rest = _assignments(words)
    if not rest:
        return None
    program = base_name(rest[0].text)
    if program in _SHELLS and depth < 2:
        return _in_shell(rest, environment, depth)
    start = _start(rest, 0)
    if start is None and (program in _WRAPPERS | _CONTAINERS or "entrypoint" in program):
        programs = {base_name(word.text) for word in rest[:_NEAR]}  # also `sudo docker run`
        found = _behind_wrapper(rest, environment, depth, container=bool(programs & _CONTAINERS))
        if found is not None and programs & _WITH_NETWORK:
            found.address = of_run(list(takewhile(lambda word: word is not found.words[0] and not _is_shell(word), rest)))
        return found
    return None if start is None else _command(start[0], rest, start[1], environment)


def from_image(image: str, arguments: Sequence[Word]) -> LaunchCommand | None:
    """The server's command of a container that runs an image's own entrypoint."""
    engine = next((engine for pattern, engine in _IMAGES if pattern.search(image)), None)
    return None if engine is None or not arguments else _command(engine, arguments, 0, {})


def _is_shell(word: Word) -> bool:
    return base_name(word.text) in _SHELLS


def base_name(path: str) -> str:
    """The last part of a path, in either spelling."""
    return path.replace("\\", "/").rpartition("/")[2]


def _assignments(words: Sequence[Word]) -> tuple[dict[str, Word], Sequence[Word]]:
    environment: dict[str, Word] = {}
    at = 0
    while at < len(words) and ASSIGNMENT.search(words[at].text):
        name, value = assignment(words[at])
        environment[name] = value
        at += 1
    return environment, words[at:]


def assignment(word: Word) -> tuple[str, Word]:
    """Name and value of `NAME=value`."""
    name, _, value = word.text.partition("=")
    pieces = (Piece(word.pieces[0].text.partition("=")[2]), *word.pieces[1:]) if "=" in word.pieces[0].text else (Piece(value),)
    kept = tuple(piece for piece in pieces if piece.text) or (Piece(""),)
    return name, Word(kept, word.line, word.position + len(name) + 1, word.quoted, word.because, word.pointer)


def _start(words: Sequence[Word], at: int) -> tuple[Engine, int] | None:
    """The engine that begins at a word, and where its arguments begin."""
    texts = [word.text for word in words[at : at + 4]]
    program = base_name(texts[0])
    if _PYTHON.search(program):
        return _module(texts, at)
    for engine, name, verbs in PROGRAMS:
        if program == name and tuple(texts[1 : 1 + len(verbs)]) == verbs:
            return engine, at + 1 + len(verbs)
    script = texts[0].replace("\\", "/")
    return next(((engine, at + 1) for file, engine in _MODULES_BY_FILE.items() if script.endswith(file)), None)


def _module(texts: list[str], at: int) -> tuple[Engine, int] | None:
    skipped = 1 + sum(text in ("-u", "-O", "-B") for text in texts[1:2])
    if texts[skipped : skipped + 1] == ["-m"] and len(texts) > skipped + 1:
        engine = MODULES.get(texts[skipped + 1])
        verb = 1 if texts[skipped + 2 : skipped + 3] == ["serve"] else 0
        return (engine, at + skipped + 2 + verb) if engine else None
    script = texts[skipped].replace("\\", "/") if len(texts) > skipped else ""
    for file, engine in _MODULES_BY_FILE.items():
        if script.endswith(file):
            return engine, at + skipped + 1
    return _start_of_script(texts, skipped, at)


def _start_of_script(texts: list[str], skipped: int, at: int) -> tuple[Engine, int] | None:
    """`python /venv/bin/vllm serve …`: the console script under its interpreter."""
    rest = texts[skipped:]
    for engine, name, verbs in PROGRAMS:
        if rest and base_name(rest[0]) == name and tuple(rest[1 : 1 + len(verbs)]) == verbs:
            return engine, at + skipped + 1 + len(verbs)
    return None


def _behind_wrapper(words: Sequence[Word], environment: dict[str, Word], depth: int, *, container: bool) -> LaunchCommand | None:
    """The command that a wrapper runs; variables set on the way (`env A=b`, `docker run -e A=b`) belong to it."""
    for at in range(1, min(len(words), _MOST_PREFIX)):
        text = words[at].text
        if ASSIGNMENT.search(text):
            name, value = assignment(words[at])
            environment[name] = value
        elif base_name(text) in _SHELLS and depth < 2:
            return _in_shell(words[at:], environment, depth)
        elif (start := _start(words, at)) is not None:
            return _command(start[0], words[at:], start[1] - at, environment)
        elif container and (engine := _entry(words, at)) is not None and "run" in [word.text for word in words[1:at]]:
            return _command(engine, words[at:], 1, environment)
    return None


def _entry(words: Sequence[Word], at: int) -> Engine | None:
    """The engine that an image starts by itself, unless a command of its own follows."""
    engine = next((engine for pattern, engine in _IMAGES if pattern.search(words[at].text)), None)
    if engine is None or words[at].text.startswith("-") or words[at - 1].text in ("--name", "--entrypoint"):
        return None
    following = [word.text for word in words[at + 1 : at + 2]]
    is_command = following and not following[0].startswith("-") and not engine.takes_model
    return None if is_command or (following and (_start(words, at + 1) or following[0] in _SHELLS)) else engine


def _in_shell(words: Sequence[Word], environment: dict[str, Word], depth: int) -> LaunchCommand | None:
    """The command in `sh -c '…'`, or behind a login shell's options."""
    flag = next((at for at, word in enumerate(words[1:6], 1) if word.text.startswith("-") and word.text.endswith("c")), None)
    if flag is None or flag + 1 >= len(words):
        return None
    script = words[flag + 1]
    for simple in commands(script.text, script.line, script.position + 1):
        inner = [Word(word.pieces, word.line, word.position, word.quoted, word.because, script.pointer) for word in simple.words]
        found = engine_command(inner, depth + 1)
        if found is not None:
            found.environment = {**environment, **found.environment}
            return found
    return None


def _command(engine: Engine, words: Sequence[Word], skipped: int, environment: dict[str, Word]) -> LaunchCommand | None:
    """The command whose arguments begin behind `skipped` words; None where it only prints help or a version."""
    command = LaunchCommand(engine, list(words), list(words[skipped:]), environment=environment)
    read_arguments(command)
    return None if any(option.name in ("help", "h", "version") for option in command.options) else command
