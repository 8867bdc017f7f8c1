"""Figures of the papers as pictures, as a tidy table and as pages."""
