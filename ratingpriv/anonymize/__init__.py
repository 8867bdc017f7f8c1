"""Releases that are anonymous: ratings modified or records withheld, and the proof read from the file."""
