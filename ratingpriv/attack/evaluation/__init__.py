"""What attacks on many targets add up to: success, false positives, pairs, sweeps,
with intervals.
"""
