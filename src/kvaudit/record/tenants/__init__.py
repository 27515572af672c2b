"""Whose processes a GPU snapshot shows: the run's own, a stranger's, the desktop's, or unknown.

Room: `record`. Joins the snapshots of an arm with its log: which capture counts (`captures`), what the log says of the run
(`evidence`), which rung of the ladder decides each process (`ladder`), and what a stranger cost the KV pool (`cost`).
"""
