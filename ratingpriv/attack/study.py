"""``ratingpriv.attack``: everything that one attack on data, or on data and their release, can tell."""

from __future__ import annotations

from ratingpriv.attack.evaluation.experiments import experiment as attack

__all__ = ["attack"]
