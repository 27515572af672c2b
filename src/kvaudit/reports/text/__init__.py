"""The report for people: terminal, pipe or log, at any width. One module per part of the page."""
