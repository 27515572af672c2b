"""Files become lines: opening, decompression, encodings, wrappers, one scan. No engine is known here."""
