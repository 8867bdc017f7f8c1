"""How many random examples tests draw: ``make test-deep`` multiplies their number."""

import os

__all__ = ["DEPTH"]

DEPTH = int(os.environ.get("RATINGPRIV_TEST_DEPTH", "1"))
