"""GPU snapshots of nvidia-smi and its relatives: box table, CSV, `-q`, XML, monitors, AMD and others.

Room: `parsers`. One module per form; `document`, `values`, `capture`, `visibility` and `desktop` are shared. A capture says
what a tool printed at one moment; whose processes they are is decided further right, with the engine log.
"""
