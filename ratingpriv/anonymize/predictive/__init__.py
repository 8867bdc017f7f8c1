"""Predictive Anonymization: groups of similar records, made identical [CTWY10]."""
