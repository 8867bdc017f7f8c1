"""Results turned into what people and programs read; the only place that formats."""
