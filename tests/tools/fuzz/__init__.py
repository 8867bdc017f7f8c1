"""Fuzzing: what a stranger may give to ratingpriv ends with an exit code and at most one message.

``make fuzz N=10000 SEED=1 KINDS=d.csv,tables``. A kind is a function ``attempt(rng)`` (a
:class:`random.Random`; nothing else is random): it makes one input, tries it in the current
directory, which is empty and its own, and returns the outcome, or outcomes counted. What must not
happen is an AssertionError. ``test_kinds.py`` has the kinds, and gives them their share.
"""
