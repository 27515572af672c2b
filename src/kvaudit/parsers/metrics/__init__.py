"""Metrics dumps become facts: configuration labels and counters of an engine. No rates, no arithmetic here."""
