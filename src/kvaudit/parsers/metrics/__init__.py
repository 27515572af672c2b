"""Metrics dumps become facts: configuration labels and counters of an engine. No rates, no arithmetic here."""

from __future__ import annotations

from kvaudit.parsers.interface import Parser
from kvaudit.parsers.metrics.iteration_stats import IterationStats
from kvaudit.parsers.metrics.parser import MetricsDump
from kvaudit.parsers.metrics.sampled import SampledCounters

PARSERS: tuple[Parser, ...] = (MetricsDump(), IterationStats(), SampledCounters())
"""Every parser of metrics: text expositions, TensorRT-LLM's JSON, and counters that a client sampled."""

__all__ = ["PARSERS", "IterationStats", "MetricsDump", "SampledCounters"]
