"""Two metrics dumps around a measurement beside the server's whole log: the window is what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvaudit.record.build import read_arm
from kvaudit.redaction import Redactor
from tests.capture.fake_engines import vllm_metrics

LOG = (
    "INFO 11-20 10:00:00 [core.py:50] Initializing a V1 LLM engine (v0.32.0) with config: model='/srv/models/atlas-1b', "
    "dtype=torch.bfloat16, kv_cache_dtype=auto, tensor_parallel_size=1, enable_prefix_caching=True\n"
    "INFO:     Application startup complete.\n"
    "INFO 11-20 10:01:00 [loggers.py:100] Engine 000: Avg prompt throughput: 130.0 tokens/s, "
    "Avg generation throughput: 12.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, "
    "GPU KV cache usage: 0.1%, Prefix cache hit rate: 12.5%\n"
)


@pytest.mark.parametrize(
    ("dumps", "rate"), [({"before": (1000, 0), "after": (5000, 3000)}, 0.75), ({"after": (5000, 3000)}, 0.125)]
)
def test_the_window_between_two_dumps_beats_the_last_line_of_the_log(
    tmp_path: Path, dumps: dict[str, tuple[int, int]], rate: float
) -> None:
    (tmp_path / "server.log").write_text(LOG, encoding="utf-8")
    for name, (queries, hits) in dumps.items():
        (tmp_path / f"metrics-{name}.txt").write_bytes(vllm_metrics(queries=queries, hits=hits))
    record = read_arm([str(tmp_path)], Redactor())
    assert record.value("runtime.prefix_hit_rate") == rate
    assert 0.125 in [fact.value for fact in record.facts("runtime.prefix_hit_rate")], "what the log says stays to be seen"
