"""Experiments: methods × k × ε × l × seeds over data sets, resumable, as one tidy table.

``ratingpriv experiment SPEC.toml`` is :func:`ratingpriv.studies.experiment.experiment.experiment`;
:mod:`ratingpriv.studies.recommend` measures its rows with the same cells.
"""
