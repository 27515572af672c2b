from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from packaging.version import Version

from kvaudit.record.simulation.releases import FIRST, candidates, release
from kvaudit.record.simulation.setup import UnpredictableError
from kvaudit.record.versions import Bounds, bounds


@pytest.mark.parametrize(
    ("version", "field", "value"),
    [
        ("0.11.2", "padding", 1.0),
        ("0.12.0", "padding", 1.25),
        ("0.17.1", "padding", 1.25),
        ("0.18.0", "padding", 1.5),
        ("0.20.0", "by_concurrency", False),
        ("0.20.1", "by_concurrency", True),
        ("0.10.2", "mixed_shapes", False),
        ("0.11.0", "mixed_shapes", True),
        ("0.13.0", "needed", "layers"),
        ("0.18.1", "needed", "first group"),
        ("0.19.0", "needed", "groups"),
        ("0.19.1", "block_after_loading", False),
        ("0.20.0", "block_after_loading", True),
        ("0.25.1", "two_batches", False),
        ("0.26.0", "two_batches", True),
        ("0.27.1", "aligned_only", False),
        ("0.28.0", "aligned_only", True),
    ],
)
def test_what_a_release_does(version: str, field: str, value: object) -> None:
    assert getattr(release(Version(version)), field) == value


def test_releases_that_were_not_read_predict_nothing() -> None:
    with pytest.raises(UnpredictableError, match=r"before 0\.9\.1"):
        release(Version("0.8.5"))


def test_a_release_is_its_own_only_candidate() -> None:
    assert [one.version for one in candidates(bounds("0.25.1"))] == [Version("0.25.1")]
    assert [one.version for one in candidates(bounds("0.13.0+vendor4"))] == [Version("0.13.0")]


def test_a_build_between_releases_may_plan_like_either() -> None:
    meanings = {one.by_concurrency for one in candidates(bounds("0.20.1.dev0+g1234abc"))}
    assert meanings == {False, True}


def test_a_build_without_a_version_is_tried_with_both_meanings_of_the_capacity() -> None:
    assert [one.by_concurrency for one in candidates(None)] == [False, True]


def test_every_change_between_two_releases_is_among_the_candidates_of_a_build_that_spans_them() -> None:
    known = [f"0.{minor}.{micro}" for minor in range(9, 34) for micro in range(3)]
    versions = [Version(text) for text in known if Version(text) >= FIRST]
    for older, newer in pairwise(versions):
        if replace(release(older), version=newer) != release(newer):
            spanning = Bounds(older, newer, released=False)
            assert newer in [one.version for one in candidates(spanning)], f"a change at {newer} is not listed"
