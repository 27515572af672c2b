"""What a checkpoint alone tells before a start: scales, statements, bytes per token, what each engine makes of it.

Room: `record`. Pure functions over facts and clues; only `inspect` reads files, through `record.build`.
"""
