"""Records and rules become findings, differences, capacity factors and a verdict. Nothing is read or printed here."""
