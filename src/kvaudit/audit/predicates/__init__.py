"""The vocabulary of rule conditions. A predicate is a short decorated function; see `registry`."""
