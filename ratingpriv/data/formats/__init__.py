"""Data in and out: what is read, written and generated, by plug-ins found by entry point."""
