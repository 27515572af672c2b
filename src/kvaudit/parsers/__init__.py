"""Lines or bytes become facts: one module (or folder) per source format. No inference, no comparison, no opening of files."""
