"""Measurements against named peers; never run as tests."""
