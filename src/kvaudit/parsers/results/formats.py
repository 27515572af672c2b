"""Every JSON format of result files: how it is told and what reads it.

Room: `parsers.results`. The list is the only place that names them all; the first that claims a document reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kvaudit.parsers.results import sglang_serving, vllm_serve
from kvaudit.parsers.results.figures import Draft
from kvaudit.parsers.results.shape import Shape


@dataclass(frozen=True, slots=True)
class Format:
    """One format: `claims` looks at keys only, `drafts` makes the runs of one JSON value."""

    name: str
    claims: Callable[[Shape], bool]
    drafts: Callable[[Any], Iterator[Draft]]


FORMATS: tuple[Format, ...] = (
    Format("sglang-bench-serving", sglang_serving.claims, sglang_serving.drafts),
    Format("vllm-bench-serve", vllm_serve.claims, vllm_serve.drafts),
    Format("vllm-bench-sweep", vllm_serve.sweep_claims, vllm_serve.sweep_drafts),
)


def format_of(shape: Shape | None) -> Format | None:
    """The format of a document; None for any other document."""
    return next((one for one in FORMATS if one.claims(shape)), None) if shape else None
