"""Every parser of metrics dumps, in the order in which they are asked.

Room: `parsers.metrics`, its list; only the registry imports it, so that a part of this package can be had without the rest.
"""

from __future__ import annotations

from kvaudit.parsers.interface import Parser
from kvaudit.parsers.metrics.iteration_stats import IterationStats
from kvaudit.parsers.metrics.parser import MetricsDump
from kvaudit.parsers.metrics.sampled import SampledCounters

PARSERS: tuple[Parser, ...] = (MetricsDump(), IterationStats(), SampledCounters())
"""Every parser of metrics: text expositions, TensorRT-LLM's JSON, and counters that a client sampled."""
