"""Tests of the Cypher library: its headers, its answers, its refusals."""
