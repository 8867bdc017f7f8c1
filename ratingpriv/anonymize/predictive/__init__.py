"""Predictive Anonymization: groups of similar records made identical, each with all that one of them rated."""
