"""Answers of a server's endpoints, and what `kvaudit capture` writes beside them.

Room: `parsers`. One module per form, recognised by its keys. An endpoint answers for the process that serves it: settings that it
repeats are what was asked for, and what only a worker decides (the KV element type) is never resolved here.
"""
