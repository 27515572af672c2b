"""Launch commands: shell words become the engine, its model, its flags and requested facts.

Room: `parsers`. Used for plain files that hold a launch command and by the service parsers, whose documents carry one. Nothing
is run and no variable is looked up outside the document.
"""
