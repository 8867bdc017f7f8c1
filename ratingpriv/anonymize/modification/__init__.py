"""Modification: ratings changed until a privacy target is met [SWLP10, §4.4-4.5]."""
