"""Names of environment variables: the nearest valid one, and what became of old ones."""

from __future__ import annotations

import pytest

from kvaudit.record.engine_table import engine_table
from kvaudit.record.engine_variables import hint, valid_names


@pytest.mark.parametrize(
    ("version", "name", "said"),
    [
        ("0.25.1", "VLLM_LOGING_LEVEL", "nearest valid name VLLM_LOGGING_LEVEL"),
        (None, "VLLM_SERVER_DEV_MOD", "nearest valid name VLLM_SERVER_DEV_MODE"),
        ("0.99.0", "VLLM_USE_FLASHINFER_SAMPLE", "nearest valid name VLLM_USE_FLASHINFER_SAMPLER"),
        ("0.21.0", "VLLM_ATTENTION_BACKEND", "0.11.0 still knew it, 0.21.0 no longer does: use --attention-backend"),
        ("0.21.0", "VLLM_USE_V1", "0.11.0 still knew it, 0.21.0 no longer does"),
        ("0.9.2", "VLLM_ALLREDUCE_USE_FLASHINFER_PCIE_IPC", "releases from 0.33.0 on know it"),
        ("0.33.0", "VLLM_FAST", None),
        ("no version", "HF_HOME", None),
    ],
)
def test_hint(version: str | None, name: str, said: str | None) -> None:
    assert hint("vllm", version, name) == said


def test_a_misspelt_old_name_leads_to_the_flag_that_took_over() -> None:
    assert hint("vllm", "0.33.0", "VLLM_ATENTION_BACKEND") == (
        "nearest name VLLM_ATTENTION_BACKEND; 0.11.0 still knew it, 0.21.0 no longer does: use --attention-backend"
    )


def test_an_engine_without_a_table_says_nothing() -> None:
    assert hint("llama_cpp", "8193", "VLLM_LOGING_LEVEL") is None
    assert valid_names("llama_cpp", None) == ()


def test_between_two_releases_only_what_both_know_is_valid() -> None:
    between = set(valid_names("vllm", "0.17.0"))
    assert "VLLM_LOGGING_LEVEL" in between
    assert not between & {"VLLM_ATTENTION_BACKEND", "VLLM_ALLREDUCE_USE_FLASHINFER"}  # gone and come between 0.11.0 and 0.21.0


def test_every_row_names_releases_of_the_table_in_order() -> None:
    table = engine_table("vllm_variables")
    order = {release: at for at, release in enumerate(table["releases"])}
    for name, row in table["names"].items():
        assert name.startswith("VLLM_")
        assert order[row["since"]] < order.get(row.get("until"), len(order))
