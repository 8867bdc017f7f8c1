"""Suppression: records withheld until a privacy target is met; the (k-1)-core."""
