"""SGLang server logs, 0.3 to 0.5.23: lines to records, records to starts, starts to facts."""
