"""Recodes: values made coarser on reading, by bands, bounds and hierarchies, level by level."""
