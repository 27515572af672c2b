"""Counters of metrics dumps: which dumps are of one server's life, what was counted between them, and what follows for the run.

Room: `record`. Two dumps of one server enclose a window; one alone counts since the server's start. Dumps of two servers, of two
starts, or of nobody knows which server give no difference, and the record says so.
"""
