"""Every kind of secret in every place that evidence holds it, through every command and format: none is ever seen."""

from __future__ import annotations

import html
import json

import pytest

from kvaudit.redaction import Redactor
from tests.redaction.planted import PLANTED, Planted


def seen(written: str, planted: tuple[Planted, ...] = PLANTED) -> set[str]:
    """The kinds of which something is to be seen."""
    texts = (written, html.unescape(written), written.replace("\\/", "/"))
    return {one.kind for one in planted for part in one.parts if any(part in text for text in texts)}


@pytest.mark.parametrize("one", PLANTED, ids=lambda one: one.kind)
def test_no_kind_is_seen_in_a_text_an_excerpt_or_a_document(one: Planted) -> None:
    line = f"INFO 05-17 11:42:07 [core.py:110] {one.text} kv_cache_dtype=auto"
    written = [Redactor().mask(line), Redactor().excerpt(line), Redactor().excerpt(line, len(line) // 2)]
    written.append(json.dumps(Redactor().document({"a": [line, {"b": line}], line: 1})))
    assert seen("\n".join(written)) == set()
    assert "kv_cache_dtype=auto" in written[0]
    assert "<secret-1>" in written[0]


@pytest.mark.parametrize("one", PLANTED, ids=lambda one: one.kind)
def test_equal_secrets_share_a_mask_and_others_do_not(one: Planted) -> None:
    redactor = Redactor()
    first, again = redactor.mask(one.text), redactor.mask(one.text)
    assert first == again
    other = redactor.mask("api_key=" + "m4Tn2RbYvE6sHu0K")
    assert other.removeprefix("api_key=") not in first
