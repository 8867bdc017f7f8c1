"""Plain-loop oracles, straight from the definitions.

Slow on purpose; nothing of the engine is used.
"""
