"""Fuzzing: what a stranger may give to ratingpriv ends with an exit code and at most one message.

``make fuzz N=10000 SEED=1 KINDS=d.csv,tables`` runs the modules of this package that declare themselves:

``KIND`` and ``attempt(rng)``, or ``KINDS``, a mapping of names to such functions. ``attempt`` makes one input
with ``rng`` (a :class:`random.Random`; nothing else is random), tries it in the current directory, which is
empty and its own, and returns one word for the outcome, by which outcomes are counted ("0", "2", "valid").
What must not happen it raises as :class:`~fuzz.judging.Finding` (or any exception). A module may have
``SHARE`` (default 1.0; ``SHARES`` by name), the part of N that it tries where attempts are slow.

Attempt number I of KIND with SEED is the same everywhere: ``python -m fuzz --again KIND:SEED:I`` repeats it
and leaves its files in a folder. Attempts run in worker processes: a crash of compiled code and an attempt
that never ends are findings.
"""
