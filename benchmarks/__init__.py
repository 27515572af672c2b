"""Measurements: accuracy on labelled files, predicted capacity, speed. No tests; nothing here is imported by kvaudit."""
