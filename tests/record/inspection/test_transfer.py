from __future__ import annotations

import pytest

from kvaudit.errors import UsageError
from kvaudit.record.inspection.cache_shape import CacheShape, Layers
from kvaudit.record.inspection.transfer import Wanted, link_of, parameters_of, teraflops_of, transfer_of

SHAPE = CacheShape((Layers("full attention", 10, {"bfloat16": 100.0, "fp8": 50.0}),), "plain")


SPEEDS = {"400Gb": 50, "100GbE": 12.5, "200Gbps": 25, "50GB": 50, "25GB/s": 25, "0.5Gb": 0.0625, "10 Gbit": 1.25}


@pytest.mark.parametrize(("text", "speed"), SPEEDS.items())
def test_bits_and_bytes_of_a_link(text: str, speed: float) -> None:
    assert link_of(text).gigabytes_per_second == speed


@pytest.mark.parametrize("text", ["", "400", "400gb", "Gb", "-1Gb", "0Gb", "1e9Gb", "400Mb"])
def test_speeds_that_leave_a_doubt_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--link"):
        link_of(text)


def test_teraflops_alone_or_of_each_gpu() -> None:
    assert (teraflops_of("1600"), teraflops_of("4x400"), teraflops_of("4×400")) == (1600, 1600, 1600)
    for text in ("0x4", "4x", "x4", "fast"):
        with pytest.raises(UsageError, match="--prefill-tflops"):
            teraflops_of(text)


def test_parameters_in_words() -> None:
    assert (parameters_of("70.6B"), parameters_of("800M"), parameters_of("5")) == (70.6e9, 800e6, 5)
    with pytest.raises(UsageError, match="--parameters"):
        parameters_of("0B")


def test_more_links_take_less_time() -> None:
    found = transfer_of(Wanted(1000, (link_of("8Gb"),), count=2, rate=500.0), SHAPE, None)
    (wide, narrow) = found.rows
    # 10 layers × 100 bytes × 1000 tokens over 2 × 1 GB/s; the prefill takes 2 s
    assert (wide.bytes, wide.seconds, wide.share_of_prefill) == (1e6, 0.0005, 0.00025)
    assert narrow.seconds == wide.seconds / 2


def test_without_a_rate_there_is_no_share() -> None:
    found = transfer_of(Wanted(1000, (link_of("8Gb"),)), SHAPE, 10**9)
    assert {row.share_of_prefill for row in found.rows} == {None}
    assert found.prefill_how == "no prefill rate was given"


def test_teraflops_need_parameters() -> None:
    wanted = Wanted(1000, (link_of("8Gb"),), teraflops=2.0, teraflops_written="2")
    assert transfer_of(wanted, SHAPE, None).prefill_tokens_per_second is None
    assert "give --parameters" in transfer_of(wanted, SHAPE, None).prefill_how
    found = transfer_of(wanted, SHAPE, 10**9)
    assert found.prefill_tokens_per_second == 1000
    assert "counted from the shape" in found.prefill_how
    given = Wanted(1000, (link_of("8Gb"),), teraflops=2.0, teraflops_written="2", parameters=2e9)
    assert transfer_of(given, SHAPE, 10**9).prefill_tokens_per_second == 500


@pytest.mark.parametrize(
    ("shape", "because"),
    [
        (CacheShape((), "nobody knows"), "the bytes of a prompt are not known: nobody knows"),
        (
            CacheShape((Layers("recurrent state", 2, {}),), "x"),
            "the bytes of a prompt are not known: the size of the recurrent states is not",
        ),
    ],
)
def test_unknown_bytes_give_no_figures(shape: CacheShape, because: str) -> None:
    found = transfer_of(Wanted(1000, (link_of("8Gb"),), rate=1.0), shape, None)
    assert found.rows == []
    assert str(found.because).endswith(because)
