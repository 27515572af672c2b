"""Whether a document is a launch command or script: every line is a command of a shell, and one starts a known server.

Room: `parsers.launch_command`. By content, never by name. Documents that merely quote a command (read-mes, logs, Python) hold
lines that no shell script holds, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from kvaudit.parsers.launch_command.finding import ASSIGNMENT, base_name, engine_command
from kvaudit.parsers.launch_command.options import LaunchCommand
from kvaudit.parsers.launch_command.shell import MOST_TEXT, Simple, commands
from kvaudit.parsers.launch_command.words import Word, expanded
from kvaudit.patterns import LatePattern

_SHEBANG = LatePattern(r"^#!\s*\S*(?:/|env\s+(?:-S\s+)?)(?:ba|da|z|k)?sh\b")
_SIGNS = LatePattern(
    r"\bvllm\s+serve\b|vllm[./]entrypoints|sglang[./]launch_server|\bsglang\s+serve\b|trtllm-serve|llama-server|vllm-openai|"
    r"text-generation-launcher|lmdeploy\s+serve|llama\.cpp:server|text-generation-inference"
)
_NO_SCRIPT = LatePattern(
    r"(?m)^(?:```|#{1,4} .*\n\n[A-Z]|\s*[{\[<]|import \w|from \w[\w.]* import |def \w+\(|class \w+|\[[\w.]+\]\s*$|[\w.-]+:\s*$)"
)
_COMMANDS_WORDS = """
    export unset set shopt cd pushd popd source . exec eval nohup sleep wait echo printf mkdir rm mv cp ln cat tee touch
    trap ulimit umask exit return true false : test [ [[ local declare readonly read shift kill pkill pgrep curl wget
    nvidia-smi rocm-smi which command type alias module ml conda mamba source activate deactivate pip uv git ls df du date
    hostname env python python3 bash sh docker podman sudo time numactl taskset nice timeout setsid srun mpirun hf
    huggingface-cli sysctl sync tail head grep awk sed cut tr sort wc xargs find chmod chown seq basename dirname pwd tmux
    screen ray
"""
_COMMANDS = frozenset(_COMMANDS_WORDS.split())
_MOST_KEPT = 8
_MOST_SERVERS = 64


def recognised(head: str, size: int) -> float:
    """Confidence that the head of a document of `size` bytes begins a launch script."""
    return 0.75 if size <= MOST_TEXT and _SIGNS.search(head) and launches(head) else 0.0


@lru_cache(maxsize=_MOST_KEPT)
def launches(text: str) -> tuple[LaunchCommand, ...]:
    """The servers that a script starts, in order; empty for any other document."""
    if len(text) > MOST_TEXT:
        return ()
    text = text.removeprefix("\ufeff")
    script = _SHEBANG.search(text) is not None
    if not script and _NO_SCRIPT.search(text):
        return ()
    found = _launches(commands(text), script)
    one_line = text.count("\n", 0, len(text.rstrip())) == 0
    return found if found or script or not one_line else _launches(commands(text, joined=True), script)


def script_commands(text: str, known: Callable[[list[Word]], bool]) -> list[list[Word]]:
    """The commands of a script, variables that it sets itself replaced; none for a document that is no script.

    `known` tells the commands that the caller looks for: without a shebang every line must be one of them or a common one.
    """
    if len(text) > MOST_TEXT:
        return []
    text = text.removeprefix("\ufeff")
    script = _SHEBANG.search(text) is not None
    if not script and _NO_SCRIPT.search(text):
        return []
    found = commands(text)
    environment = _environment(found)
    lines = [[expanded(word, environment) for word in simple.words] for simple in found]
    return lines if script or all(_is_command(words) or known(words) for words in lines) else []


def _launches(found: list[Simple], script: bool) -> tuple[LaunchCommand, ...]:
    environment, exported = _environment(found), _exported(found)
    servers: list[LaunchCommand] = []
    for simple in found:
        words = [expanded(word, environment) for word in simple.words]
        server = engine_command(words) if len(servers) < _MOST_SERVERS else None
        if server is not None:
            server.environment = {**exported, **server.environment}
            servers.append(server)
        elif not script and not _is_command(words):
            return ()
    return tuple(servers)


def _is_command(words: list[Word]) -> bool:
    """Whether the words may be a command: one that scripts use, a path, an assignment."""
    first = words[0].text
    return bool(ASSIGNMENT.search(first)) or base_name(first) in _COMMANDS or first.startswith(("/", "./", "../", "~/", "$"))


def _environment(found: list[Simple]) -> dict[str, str]:
    """Variables that the script sets once, to a known text, outside of conditions and loops."""
    values: dict[str, list[str | None]] = {}
    for simple in found:
        for word in _assigned(simple):
            name, _, text = word.text.partition("=")
            values.setdefault(name, []).append(text if word.is_known and not simple.nested else None)
    return {name: texts[0] for name, texts in values.items() if len(texts) == 1 and texts[0] is not None}


def _exported(found: list[Simple]) -> dict[str, Word]:
    """What the script sets or exports before the server starts, by name."""
    from kvaudit.parsers.launch_command.finding import assignment

    return dict(assignment(word) for simple in found if not simple.nested for word in _assigned(simple))


def _assigned(simple: Simple) -> list[Word]:
    """The assignments that outlast a command: those alone on their line, and those of `export`."""
    words = simple.words
    if words[0].text in ("export", "declare", "local", "readonly", "set"):
        words = words[1:]
    return [word for word in words if ASSIGNMENT.search(word.text)] if all(_is_assigning(word) for word in words) else []


def _is_assigning(word: Word) -> bool:
    return bool(ASSIGNMENT.search(word.text)) or word.text.startswith("-")
