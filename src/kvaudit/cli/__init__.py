"""The commands: options, one library call, one report, an exit code. Heavy imports stay inside functions."""
