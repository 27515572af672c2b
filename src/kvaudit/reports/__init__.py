"""A report becomes bytes: text, JSON. No decision is taken here; a renderer shows what the report holds."""
