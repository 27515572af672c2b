"""Facts become a record: stages, states, conflicts, inferred facts, engine behaviour. A record knows only its own arm."""
