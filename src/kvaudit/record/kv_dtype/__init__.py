"""The effective KV element type: a ladder of evidence, strongest rung first. See `ladder` for the ranks."""
