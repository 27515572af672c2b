from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kvaudit.parsers.facts import Origin
from kvaudit.parsers.tables import fact
from kvaudit.record.simulation.votes import width_votes
from kvaudit.record.table import FactTable
from tests.record.simulation.models import LATENT, PLAIN, RECURRENT, WINDOWED, shape
from tests.record.simulation.test_votes import SAID

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.dictionaries(st.text(max_size=2), st.integers())), max_size=3),
)
FIGURES = {"kv_cache.memory_gib": 1.0, "kv_cache.tokens": 338_928, "clue.kv_needed_gib": 0.1, "clue.kv_needed_tokens": 4096}
KEYS = sorted(set(shape(RECURRENT)) | set(shape(WINDOWED)) | set(shape(LATENT)))
NUMBERS = [name for name in {**SAID, **FIGURES} if name not in ("engine.name", "engine.version", "model.dtype", "model.path")]


@given(model=st.sampled_from([PLAIN, WINDOWED, RECURRENT, LATENT]), key=st.sampled_from(KEYS), value=ANYTHING)
def test_a_shape_of_wrong_types_is_no_crash(model: dict[str, Any], key: str, value: Any) -> None:
    _votes(shape(model) | {key: value}, {})


@given(
    model=st.sampled_from([PLAIN, WINDOWED, RECURRENT, LATENT]),
    name=st.sampled_from(NUMBERS),
    value=st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.booleans()),
)
def test_a_figure_of_any_size_is_no_crash(model: dict[str, Any], name: str, value: Any) -> None:
    _votes(shape(model), {name: value})


def _votes(config: dict[str, Any], said: dict[str, Any]) -> None:
    known = {**SAID, **FIGURES, **said}
    origin = Origin(file="server.log", line=1)
    facts = [fact(name, value, "resolved", [origin]) for name, value in known.items()]
    facts.append(fact("clue.checkpoint_config", config, "stated", [origin]))
    assert isinstance(width_votes(FactTable(facts)), list)
