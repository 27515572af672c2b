"""What `diff`, `check`, `record` and `why` share: reading arms, errors as documents, writing reports.

Room: `cli`. One library call each; nothing is decided here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kvaudit.cli.progress import progress_shown
from kvaudit.cli.writing import is_evidence, replace_file
from kvaudit.errors import InputError, InputErrors, KvauditError, UsageError

if TYPE_CHECKING:
    from kvaudit.audit.audit import Wishes
    from kvaudit.audit.report import Report
    from kvaudit.audit.rules import Rule
    from kvaudit.record.model import Record
    from kvaudit.redaction import Redactor

READER_GONE = 141
"""128 + SIGPIPE."""


def make_redactor(level: str) -> Redactor:
    """The one redactor of this call."""
    from kvaudit.cli.redact_key import key_in_force
    from kvaudit.redaction import Redactor

    return Redactor("full" if level == "full" else "default", key_in_force())


_stdin_read: list[object] = []
"""The standard input that an arm of this call was read from."""


def read(arguments: Sequence[str], redactor: Redactor, session: str, no_local_checkpoint: bool) -> Record:
    """The record of one arm."""
    from kvaudit.record.build import Options, read_arm
    from kvaudit.sources.arm import split_label

    times = [split_label(argument)[1] for argument in arguments].count("-")
    if times and (sys.stdin is None or sys.stdin.closed is True):
        raise UsageError("standard input (-) is closed")
    if times + (sys.stdin in _stdin_read) > 1:
        raise UsageError("standard input (-) can be read only once")
    _stdin_read[:] = [sys.stdin] if times else _stdin_read
    with progress_shown():
        return read_arm(arguments, redactor, Options(session=session, local_checkpoint=not no_local_checkpoint))


def read_both(arms: list[Callable[[], Record]]) -> list[Record]:
    """Both records; when evidence of either cannot be used, all of it is named at once."""
    records, errors = [], []
    for arm in arms:
        try:
            records.append(arm())
        except InputErrors as error:
            errors += error.errors
    if errors:
        raise InputErrors(errors)
    return records


def wishes_of(options: dict[str, Any], vary: Sequence[str] = (), evidence: Sequence[str] = ()) -> Wishes:
    """The audit's wishes from the options of a command, and the policy in force for this evidence."""
    from kvaudit.audit.audit import Wishes
    from kvaudit.audit.policy_file import policy_in_force

    force = policy_in_force(evidence, config=options["config"], policy=options["policy"], isolated=options["isolated"])
    baseline = None
    if options["baseline"]:
        from kvaudit.audit.baseline import read_baseline

        baseline = read_baseline(options["baseline"])
    return Wishes(
        fail_on=options["fail_on"],
        vary=tuple(vary),
        accept_unknown=tuple(options["accept_unknown"]),
        allow_unknown=options["allow_unknown"],
        select=tuple(options["select"]),
        ignore=tuple(options["ignore"]),
        profile=options["profile"],
        policy=force.policy,
        baseline=baseline,
        settings_file=" and ".join(force.files) or None,
        notes=tuple(force.notes),
        checklist=bool(options.get("checklist")),
    )


def rules_of(options: dict[str, Any]) -> list[Rule]:
    """The bundled rules and those of the user's folders, which are checked against the schema first."""
    from kvaudit.audit.rules import bundled_rules, load_rules

    found = list(bundled_rules(examples=False))
    for folder in options["rules_folders"]:
        from kvaudit.audit.rule_schema import check_folder

        check_folder(Path(folder))
        own = load_rules(Path(folder))
        replaced = {rule.id for rule in own}
        found = [rule for rule in found if rule.id not in replaced] + list(own)
    return found


def publish(report: Report, redactor: Redactor, options: dict[str, Any], evidence: Sequence[str] = ()) -> int:
    """Write the report to stdout and to the files asked for; the summary goes to stderr. Returns the exit code."""
    from kvaudit.reports.interface import RENDERERS
    from kvaudit.reports.summary import note_lines, summary_line

    targets = [target_of(one) for one in options["output"]]
    for name, path in targets:
        write_file(path, RENDERERS[name](report, redactor), evidence)
    if options.get("write_baseline"):
        from kvaudit.audit.baseline import baseline_of, to_text

        write_file(options["write_baseline"], to_text(baseline_of(report, redactor)), evidence)
    if "github" in (options["format_"], *(name for name, _ in targets)):
        _append_job_summary(RENDERERS["markdown"](report, redactor))
    write_out(RENDERERS[options["format_"]](report, redactor, terminal_width(), wants_colour()))
    for line in [*note_lines(report, redactor), summary_line(report)]:
        say(line)
    return report.exit_code


def target_of(argument: str) -> tuple[str, str]:
    """Format and path of `-o FORMAT=PATH`. Raises `UsageError`."""
    from kvaudit.reports.interface import RENDERERS

    name, equals, path = argument.partition("=")
    if not equals or not path or name not in RENDERERS:
        raise UsageError(f"-o {argument}: give FORMAT=PATH with FORMAT one of {', '.join(RENDERERS)}")
    return name, path


_MOST_SUMMARY = 1 << 20
"""GitHub shows no job summary of a step that is larger than 1 MiB."""


def _append_job_summary(text: str) -> None:
    """The report for the page of a GitHub job, where a runner names the file for it."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    if len(text.encode("utf-8", "replace")) > _MOST_SUMMARY:
        text = text[: _MOST_SUMMARY // 4].rpartition("\n")[0] + "\n\n… the rest is in the other reports\n"
    try:
        with Path(path).open("a", encoding="utf-8", errors="replace") as stream:
            stream.write(text + "\n")
    except OSError as error:
        raise UsageError(f"cannot write the job summary {path}: {error.strerror or error}") from error


def wants_colour() -> bool:
    """Colour only on a terminal, and not where NO_COLOR is set."""
    return is_terminal() and not os.environ.get("NO_COLOR")


def is_terminal() -> bool:
    """Whether somebody reads stdout; a closed one is none."""
    return sys.stdout is not None and sys.stdout.isatty()


def terminal_width() -> int | None:
    """Columns of the terminal, None in a pipe; COLUMNS wins."""
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdigit() and int(wanted) >= 20:
        return int(wanted)
    return os.get_terminal_size().columns if is_terminal() else None


def write_file(path: str, text: str, evidence: Sequence[str] = ()) -> None:
    """Text to a file that is none of the evidence. Raises `UsageError` where the file cannot be written."""
    if is_evidence(path, evidence):
        raise UsageError(f"{path} is evidence of this call and is not written over")
    try:
        replace_file(path, text.encode("utf-8", "replace"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from error


def write_out(text: str) -> None:
    """Text to stdout, whatever its encoding. Where the reader has gone the call ends with 141, as a killed writer would.

    A stdout that takes no more, or is closed, ends the call with 2: what was to be said was not said.
    """
    if sys.stdout is None:
        say("kvaudit: cannot write the output: standard output is closed")
        sys.exit(2)
    try:
        sys.stdout.buffer.write(text.rstrip("\n").encode("utf-8", "replace") + b"\n")
        sys.stdout.flush()
    except OSError as error:
        # A flush at exit would fail again; and click would end with 1, which says that a finding fired.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            sys.exit(READER_GONE)
        say(f"kvaudit: cannot write the output: {error.strerror or error}")
        sys.exit(2)


def say(text: str) -> None:
    """One line to stderr, if it takes any: the exit code stands whatever becomes of the line."""
    from kvaudit.reports.github_actions import disarm_text

    with suppress(OSError, ValueError):
        click.echo(disarm_text(text), err=True)


def guarded(
    action: Callable[[], int],
    format_: str = "text",
    redactor: Redactor | None = None,
    outputs: Sequence[str] = (),
    evidence: Sequence[str] = (),
) -> int:
    """Run a command's action; errors of input and usage are named on stderr, and in the formats asked for, exit code 2."""
    try:
        return action()
    except InputErrors as error:
        errors = error.errors
    except InputError as error:
        errors = [error]
    except KvauditError as error:
        errors = [InputError("", str(error))]
    redactor = redactor or make_redactor("default")
    for one in errors:
        _name(one, redactor)
    if format_ != "text":
        write_errors(errors, redactor, format_)
    _write_error_files(errors, redactor, outputs, evidence)
    return 2


def _name(error: InputError, redactor: Redactor) -> None:
    shown = redactor.excerpt(str(error) if error.path else error.message)
    families = dict.fromkeys(name.partition(":")[0] for name in error.tried)
    tried = f" (tried: {', '.join(families)})" if families else ""
    say(f"kvaudit: {shown}{tried}")


def write_errors(errors: list[InputError], redactor: Redactor, format_: str) -> None:
    """What a format gets on stdout where nothing was decided; with JSON the document `error`."""
    from kvaudit.reports.errors import render_errors

    write_out(render_errors(errors, redactor, format_))


def _write_error_files(errors: list[InputError], redactor: Redactor, outputs: Sequence[str], evidence: Sequence[str]) -> None:
    """The same in the files asked for, so that none of an earlier call is left; one that cannot be written is left out."""
    from kvaudit.reports.errors import render_errors

    for argument in outputs:
        with suppress(KvauditError):
            name, path = target_of(argument)
            write_file(path, render_errors(errors, redactor, name), evidence)
