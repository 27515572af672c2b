"""Windows between metrics dumps: one server's or two's, resets, units, label sets, and what follows for the run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kvaudit.parsers.facts import COUNTERS_CLUE, WINDOW_CLUE, Fact, Origin
from kvaudit.parsers.metrics.shapes import Counters, Window
from kvaudit.parsers.tables import fact
from kvaudit.record.build import read_arm
from kvaudit.record.counters.add import add_counters, set_apart
from kvaudit.record.model import Record
from kvaudit.record.table import FactTable
from kvaudit.redaction import Redactor
from kvaudit.shapes import plain
from tests.parsers.metrics import dumps
from tests.parsers.metrics.dumps import write

RATE, PREEMPTIONS, ACCEPTANCE = "runtime.prefix_hit_rate", "runtime.preemptions", "runtime.spec_acceptance"


def arm(folder: Path, **texts: str) -> Record:
    """One dump per keyword, in a file of that name; the last named first, so nothing hangs on the order of arguments."""
    return read_arm([write(folder / f"{name}.txt", text) for name, text in reversed(texts.items())], Redactor())


def windows(record: Record) -> list[Window]:
    return [Window.model_validate(clue.value) for clue in record.clues[WINDOW_CLUE]]


def why(record: Record, name: str = RATE) -> str:
    assert record.state(name) == "unknown"
    return str(record.fields[name].because)


def test_one_dump_counts_since_the_start(tmp_path: Path) -> None:
    record = arm(tmp_path, metrics=dumps.vllm(queries=2000.0, hits=500.0, preemptions=7.0))
    assert (record.value(RATE), record.value(PREEMPTIONS)) == (500 / 2000, 7)
    how = str(record.facts(RATE)[0].how)
    assert how == "500 hits ÷ 2,000 queries, counted in tokens since the server's start"
    (window,) = windows(record)
    assert (window.since, window.whole, window.deltas["prompt_tokens"]) == ("start", True, 4000.0)


def test_two_dumps_of_one_server_give_the_window_between(tmp_path: Path) -> None:
    before = dumps.vllm(prompt=2000.0, queries=2000.0, hits=500.0, generated=64.0, served=2.0, preemptions=7.0)
    after = dumps.vllm(prompt=6100.0, queries=6000.0, hits=3300.0, generated=704.0, served=22.0, preemptions=9.0)
    record = arm(tmp_path, first=before, second=after)
    assert record.value(RATE) == pytest.approx((3300 - 500) / (6000 - 2000))
    assert record.value(PREEMPTIONS) == 9 - 7
    (window,) = windows(record)
    assert window.deltas == {
        "prompt_tokens": 4100.0,
        "generation_tokens": 640.0,
        "requests": 20.0,
        "preemptions": 2.0,
        "prefix_queries": 4000.0,
        "prefix_hits": 2800.0,
    }
    assert window.by_reason == {"stop": 0.0, "length": 20.0, "abort": 0.0}
    assert [Path(file).name for file in window.files] == ["first.txt", "second.txt"]


def test_each_difference_shows_the_lines_of_both_dumps(tmp_path: Path) -> None:
    record = arm(tmp_path, before=dumps.vllm(), after=dumps.vllm(prompt=4500.0, cpu=9.0))
    (window,) = windows(record)
    lines = {Path(origin.file).name: origin.line for origin in window.origins["prompt_tokens"]}
    for name, line in lines.items():
        text = (tmp_path / name).read_text().split("\n")
        assert text[(line or 0) - 1].startswith("vllm:prompt_tokens_total{")
    assert lines.keys() == {"before.txt", "after.txt"}
    assert len(record.clues[WINDOW_CLUE][0].origins) == len({one for held in window.origins.values() for one in held})


def test_counters_decide_the_order_and_names_do_not(tmp_path: Path) -> None:
    record = arm(tmp_path, after=dumps.vllm(queries=100.0, hits=0.0), before=dumps.vllm(queries=1100.0, hits=400.0))
    assert record.value(RATE) == 400 / 1000


def test_data_parallel_engines_are_summed_before_the_difference(tmp_path: Path) -> None:
    before = dumps.vllm(engines=(0, 1), queries=100.0, hits=10.0)
    record = arm(tmp_path, a=before, b=dumps.vllm(engines=(0, 1), queries=300.0, hits=70.0))
    assert windows(record)[0].deltas["prefix_queries"] == 2 * (300 - 100)
    assert record.value(RATE) == (70 - 10) / (300 - 100)


def test_more_than_two_dumps_give_the_whole_window_and_the_parts(tmp_path: Path) -> None:
    texts = {f"m{number}": dumps.vllm(prompt=value, queries=value) for number, value in enumerate((1000.0, 1400.0, 4000.0))}
    found = windows(arm(tmp_path, **texts))
    assert [(one.whole, one.dumps, one.deltas["prompt_tokens"]) for one in found] == [
        (True, 3, 3000.0),
        (False, 2, 400.0),
        (False, 2, 2600.0),
    ]


def test_scrapes_of_one_file_enclose_a_window(tmp_path: Path) -> None:
    text = dumps.vllm(queries=1000.0, hits=0.0) + dumps.vllm(queries=1500.0, hits=400.0)
    record = arm(tmp_path, metrics=text)
    assert record.value(RATE) == 400 / 500
    assert str(record.facts(RATE)[0].how).endswith("between the first and the last moment of the file")


@pytest.mark.parametrize("stamps", [{"started": 1.7613e9}, {"created": 1.7613e9, "started": None}])
def test_a_restart_between_two_dumps_gives_no_rate(tmp_path: Path, stamps: dict[str, Any]) -> None:
    first = dumps.vllm(started=None) if "created" in stamps else dumps.vllm()
    record = arm(tmp_path, before=first, after=dumps.vllm(prompt=9000.0, queries=9000.0, **stamps))
    assert "started anew" in why(record)
    assert "before.txt" in why(record)
    assert (record.state(PREEMPTIONS), record.state(ACCEPTANCE)) == ("unknown", "unknown")


def test_dumps_of_two_servers_are_no_before_and_after(tmp_path: Path) -> None:
    record = arm(tmp_path, before=dumps.vllm(model="acme/atlas-8b"), after=dumps.vllm(model="acme/birch-2b", queries=9000.0))
    assert "different servers, which serve acme/" in why(record)
    refused, *each = windows(record)
    assert (refused.whole, refused.deltas, refused.refused) == (True, {}, why(record))
    assert [(one.whole, one.since) for one in each] == [(False, "start"), (False, "start")]


def test_two_servers_with_two_dumps_each_have_a_window_each_and_the_arm_has_none(tmp_path: Path) -> None:
    texts = {
        f"{server}{moment}": dumps.vllm(started=started, created=started, prompt=value, queries=value)
        for server, started in (("a", 1.7e9), ("b", 1.71e9))
        for moment, value in (("0", 100.0), ("1", 700.0))
    }
    record = arm(tmp_path, **texts)
    assert [one.deltas.get("prompt_tokens") for one in windows(record)] == [None, 600.0, 600.0]
    assert record.state(RATE) == "unknown"


def test_dumps_of_two_engines_are_of_two_servers(tmp_path: Path) -> None:
    record = arm(tmp_path, a=dumps.vllm(), b=dumps.sglang(prompt=9000.0, cached={"device": 10.0}))
    assert "different servers: " in why(record)


def test_a_dump_of_several_servers_has_no_rate(tmp_path: Path) -> None:
    both = dumps.vllm(model="acme/atlas-8b") + dumps.vllm(model="acme/birch-2b")
    record = arm(tmp_path, metrics="".join(f"{line}\n" for line in both.split("\n") if line.startswith("vllm:")))
    assert "counters of several servers" in why(record)
    assert record.state(PREEMPTIONS) == "unknown"


def test_a_counter_that_fell_gives_no_difference(tmp_path: Path) -> None:
    record = arm(tmp_path, before=dumps.vllm(hits=800.0), after=dumps.vllm(prompt=9000.0, queries=9000.0, hits=100.0))
    assert "a counter fell between the metrics dumps: prefix_hits from 800 to 100" in why(record)
    assert windows(record)[0].deltas == {}


def test_a_unit_that_changed_gives_no_rate(tmp_path: Path) -> None:
    before = dumps.vllm(family="vllm:gpu_prefix_cache", unit="blocks", queries=100.0, hits=20.0, created=None)
    record = arm(tmp_path, before=before, after=dumps.vllm(prompt=9000.0, queries=9000.0, created=None))
    assert "counted in blocks before and in tokens after" in why(record)
    assert windows(record)[0].deltas["prompt_tokens"] == 9000.0 - 4000.0


def test_label_sets_that_differ_give_no_difference(tmp_path: Path) -> None:
    record = arm(tmp_path, before=dumps.vllm(engines=(0,)), after=dumps.vllm(engines=(0, 1), prompt=5000.0, queries=5000.0))
    (window,) = windows(record)
    assert window.deltas == {}
    assert window.missing["prompt_tokens"] == "its label sets differ between the dumps"
    assert "label sets differ" in why(record)


def test_a_series_that_appears_with_its_first_event_counts_from_zero(tmp_path: Path) -> None:
    before, after = (
        dumps.sglang(prompt=100.0, pid=71),
        dumps.sglang(prompt=9100.0, cached={"device": 2000.0, "host": 500.0}, pid=71),
    )
    record = arm(tmp_path, before=before, after=after)
    assert record.value(RATE) == round((2000 + 500) / (9100 - 100), 4)


def test_a_counter_that_vllm_would_have_had_is_not_taken_for_zero(tmp_path: Path) -> None:
    whole = dumps.vllm()
    before = "".join(f"{line}\n" for line in whole.split("\n") if "prefix_cache" not in line)
    record = arm(tmp_path, before=before, after=dumps.vllm(prompt=9000.0, queries=9000.0))
    assert "before.txt does not hold it" in why(record)
    assert windows(record)[0].deltas["prompt_tokens"] == 9000.0 - 4000.0


def test_an_idle_server_counts_from_zero(tmp_path: Path) -> None:
    idle = "process_start_time_seconds 1.7612e9\nvllm:prompt_tokens_total 0.0\nvllm:generation_tokens_total 0.0\n"
    record = arm(tmp_path, before=idle, after=dumps.vllm(queries=4000.0, hits=1000.0))
    assert record.value(RATE) == 1000 / 4000


def test_what_a_cut_dump_does_not_hold_is_not_zero(tmp_path: Path) -> None:
    text = dumps.vllm(prompt=0.0, queries=0.0, hits=0.0, generated=0.0, served=0.0)
    cut = text[: text.index("vllm:prompt_tokens_total{") + 30]
    (window,) = windows(arm(tmp_path, before=cut, after=dumps.vllm()))
    assert window.missing["prompt_tokens"] == "before.txt breaks off before it"
    assert "prompt_tokens" not in window.deltas


def test_dumps_that_nothing_ties_to_one_server_give_no_difference(tmp_path: Path) -> None:
    texts = {"replica_8000": dumps.sglang(prompt=900.0), "replica_8001": dumps.sglang(prompt=9000.0, cached={"device": 90.0})}
    assert "nothing in the metrics dumps shows that they are of one server" in why(arm(tmp_path, **texts))


def test_an_idle_server_is_not_the_one_that_has_served_for_a_week(tmp_path: Path) -> None:
    idle = dumps.llama_cpp(processed=0, cached=0).replace(" 48", " 0")
    texts = {"port_8000": idle, "port_8001": dumps.llama_cpp(processed=900, cached=90_000)}
    assert "nothing in the metrics dumps shows" in why(arm(tmp_path, **texts))


@pytest.mark.parametrize(
    ("first", "second", "paired"),
    [("metrics_before", "metrics_after", True), ("a_before", "b_after", False), ("metrics_after", "metrics_before", False)],
)
def test_names_tie_dumps_together_where_the_counters_agree(tmp_path: Path, first: str, second: str, paired: bool) -> None:
    texts = {
        first: dumps.sglang(prompt=900.0, cached={"device": 9.0}),
        second: dumps.sglang(prompt=9900.0, cached={"device": 909.0}),
    }
    assert arm(tmp_path, **texts).value(RATE) == (900 / 9000 if paired else None)


def test_process_ids_tell_one_server_from_another(tmp_path: Path) -> None:
    texts = {"before": dumps.sglang(prompt=900.0, pid=71), "after": dumps.sglang(prompt=9000.0, cached={"device": 90.0}, pid=72)}
    assert "started anew" in why(arm(tmp_path, **texts))


def test_llama_cpp_is_told_by_the_start_in_its_http_head(tmp_path: Path) -> None:
    before = dumps.llama_cpp(processed=1502, cached=0, started=880_001)
    record = arm(tmp_path, before=before, after=dumps.llama_cpp(processed=1503, cached=1501, started=880_001))
    assert record.value(RATE) == round(1501 / (1503 + 1501 - 1502), 4)
    other = arm(tmp_path, before=before, after=dumps.llama_cpp(processed=1503, cached=1501, started=990_002))
    assert "started anew" in why(other)


def test_prompts_without_a_query_prove_nothing_about_caching(tmp_path: Path) -> None:
    record = arm(tmp_path, metrics=dumps.vllm(prompt=4000.0, queries=0.0, hits=0.0))
    assert "4,000 prompt tokens and no prefix query" in why(record)
    assert record.state("kv_cache.prefix_caching") == "unknown"


@pytest.mark.parametrize("dumped", [1, 2])
def test_a_server_that_served_nothing_says_nothing_of_the_run(tmp_path: Path, dumped: int) -> None:
    idle: dict[str, Any] = {"prompt": 0.0, "queries": 0.0, "hits": 0.0, "generated": 0.0, "served": 0.0}
    texts = {f"m{number}": dumps.vllm(cpu=10.0 + number, **idle) for number in range(dumped)}
    record = arm(tmp_path, **texts)
    assert "nothing was served" in why(record)
    assert record.state(PREEMPTIONS) == "unknown"


def test_the_same_dump_twice_is_one_dump(tmp_path: Path) -> None:
    record = arm(tmp_path, one=dumps.vllm(cpu=10.0, hits=1000.0), copy=dumps.vllm(cpu=10.0, hits=1000.0))
    assert record.value(RATE) == 1000 / 4000
    assert "since the server's start" in str(record.facts(RATE)[0].how)


def test_acceptance_is_accepted_of_drafted_tokens(tmp_path: Path) -> None:
    text = dumps.speculative(100.0, 300.0, (80.0, 60.0, 40.0))
    record = arm(tmp_path, metrics=text)
    assert record.value(ACCEPTANCE) == (80 + 60 + 40) / 300
    assert record.facts(ACCEPTANCE)[0].how == "180 accepted ÷ 300 drafted tokens since the server's start"


def test_the_gauge_of_v0_is_of_the_whole_life_and_of_no_window(tmp_path: Path) -> None:
    alone = arm(tmp_path, metrics=dumps.vllm_v0(rate=0.25))
    assert (alone.value(RATE), alone.facts(RATE)[0].how) == (0.25, "gauge of vLLM V0, over the server's whole life")
    pair = arm(tmp_path, before=dumps.vllm_v0(rate=0.1, prompt=100.0), after=dumps.vllm_v0(rate=0.25))
    assert "a gauge of the server's whole life, not of a window" in why(pair)


def test_a_gauge_of_minus_one_is_no_rate(tmp_path: Path) -> None:
    assert arm(tmp_path, metrics=dumps.vllm_v0(rate=-1.0)).state(RATE) == "unknown"


def test_the_cache_tier_of_lmcache_has_a_window_of_its_own(tmp_path: Path) -> None:
    record = arm(tmp_path, engine=dumps.vllm(hits=0.0), tier=dumps.lmcache(2000.0, 500.0))
    assert record.value(RATE) == 0.0
    assert [(one.engine, one.deltas.get("lmcache_hit_tokens")) for one in windows(record)] == [("vllm", None), ("lmcache", 500.0)]


def test_a_saved_record_says_the_same(tmp_path: Path) -> None:
    record = arm(tmp_path, before=dumps.vllm(), after=dumps.vllm(prompt=9000.0, queries=9000.0, hits=2000.0))
    saved = tmp_path / "record.json"
    saved.write_text(json.dumps(plain(record)))
    again = read_arm([str(saved)], Redactor())
    assert (again.value(RATE), len(again.facts(RATE))) == (record.value(RATE), 1)
    assert windows(again) == windows(record)


@pytest.mark.parametrize(
    "value",
    [None, [], "x", {"file": 1}, *({"file": "m", "engine": "vllm", "values": {"a": odd}} for odd in (float("nan"), -1.0, "x"))],
)
def test_anything_may_stand_under_the_clues_name(value: object) -> None:
    table = FactTable([fact(COUNTERS_CLUE, value, "observed", [])])
    add_counters(table)
    assert WINDOW_CLUE not in table.clues


def test_what_a_log_inferred_is_not_disputed() -> None:
    held = Counters(file="m", engine="vllm", values={"prefix_queries": 100.0, "prefix_hits": 50.0, "prompt_tokens": 100.0})
    told = fact(RATE, 0.4, "inferred", [Origin(file="log", line=1)], how="weighted mean of the batch lines")
    table = FactTable([fact(COUNTERS_CLUE, held.model_dump(), "observed", []), told])
    add_counters(table)
    assert [one.value for one in table.fields[RATE]] == [0.4]


def test_caching_that_is_off_has_no_rate() -> None:
    held = Counters(file="m", engine="vllm", values={"prefix_queries": 100.0, "prefix_hits": 0.0, "prompt_tokens": 100.0})
    off: Fact = fact("kv_cache.prefix_caching", False, "resolved", [Origin(file="log", line=1)])
    table = FactTable([fact(COUNTERS_CLUE, held.model_dump(), "observed", []), off])
    add_counters(table)
    assert RATE not in table.fields


def real_pairs() -> list[tuple[Path, Path]]:
    corpus = os.environ.get("KVAUDIT_CORPUS")
    after = sorted((Path(corpus) / "real_runs").glob("**/*.metrics_after.txt")) if corpus else []
    pairs = [(path.with_name(path.name.replace("after", "before")), path) for path in after]
    return [(before, last) for before, last in pairs if last.stat().st_size > 1000]


@pytest.mark.skipif(not real_pairs(), reason="KVAUDIT_CORPUS is not set")
def test_real_dumps_before_and_after_count_what_the_client_counted() -> None:
    agreed = 0
    for before, after in real_pairs():
        (window,) = windows(read_arm([str(after), str(before)], Redactor()))
        assert (window.whole, window.refused, window.missing) == (True, None, {}), after.name
        assert window.deltas["prefix_queries"] in (0.0, window.deltas["prompt_tokens"]), after.name
        client = after.with_name(after.name.replace("metrics_after.txt", "bench.json"))
        if client.exists():
            told = json.loads(client.read_text())
            counted = [window.deltas[name] for name in ("prompt_tokens", "generation_tokens", "requests")]
            assert counted == [told["total_input_tokens"], told["total_output_tokens"], told["completed"]]
            agreed += 1
    assert agreed >= 2


def test_counters_of_an_arm_with_several_servers_are_nobodys() -> None:
    held = Counters(file="m", engine="vllm", values={"prefix_queries": 100.0, "prefix_hits": 50.0, "preemptions": 3.0})
    table = FactTable([fact(COUNTERS_CLUE, held.model_dump(), "observed", [])])
    set_apart(table)
    add_counters(table)
    assert (RATE in table.fields, PREEMPTIONS in table.fields) == (False, False)
    assert table.reasons[PREEMPTIONS] == "the arm has several servers, and nothing says whose counters these are"
