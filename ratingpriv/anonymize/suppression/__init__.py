"""Suppression: records left out until a privacy target is met; the (k-1)-core."""
