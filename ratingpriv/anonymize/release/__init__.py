"""The release: written, read again, audited, renamed atomically; its manifest,
and the check by anybody.
"""
