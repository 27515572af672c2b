"""Result files of benchmark clients become runs: every figure under one name and unit, as it was printed. No arithmetic here."""
