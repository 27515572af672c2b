"""Services of an arm: which one is the run's, its effective settings over all documents, and what can restart it.

Room: `record`. Parsers give single settings; here a unit and its drop-ins, the manager's counters and the log's failed starts
come together.
"""
