"""Mutants: what decides a verdict or a claim is broken in small ways, and the tests of its room notice.

``make mutants N=100 SEED=1`` draws mutants, ``N=all`` takes every one, ``MODULE=audit.risk`` those of one
module. Cosmic Ray's operators make them (comparison, ±, ·, constant, not, and/or). A survivor is killed by a
better test, or named in ``equivalent.toml`` with the reason why it is no error.
"""
