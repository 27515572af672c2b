"""Room: what benchmark results say about themselves and about the server they were measured on.

It reads the runs of a record and does arithmetic on them: identities, tokens per chunk, corrections, agreement of client,
server counters and log. It opens no file and judges nothing: severities belong to the rules.
"""
