"""Metrics dumps become facts: configuration labels and counters of an engine. No rates, no arithmetic here."""

from __future__ import annotations

from kvaudit.parsers.interface import Parser
from kvaudit.parsers.metrics.iteration_stats import IterationStats
from kvaudit.parsers.metrics.parser import MetricsDump

PARSERS: tuple[Parser, ...] = (MetricsDump(), IterationStats())
"""Every parser of metrics: text expositions, and TensorRT-LLM's JSON."""

__all__ = ["PARSERS", "IterationStats", "MetricsDump"]
