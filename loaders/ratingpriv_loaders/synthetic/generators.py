"""Synthetic ratings from stated models, seeded, as a table or as a file of any size.

Two models: :class:`~ratingpriv_loaders.synthetic.survey.SurveyModel` (Likert items driven by factors) and
:class:`~ratingpriv_loaders.synthetic.sparse.SparseModel` (power laws, dates); their docstrings state them.
The same arguments and seed give the same ratings as a table and as a file, whatever the number of processors
and of ratings that are in memory together (and as long as NumPy's generators stay as they are).
"""

from __future__ import annotations

import abc
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.generating import Parameter, Written
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.synthetic.blocks import Model, table_of
from ratingpriv_loaders.synthetic.files import write_blocks
from ratingpriv_loaders.synthetic.sparse import SparseModel
from ratingpriv_loaders.synthetic.survey import SurveyModel

__all__ = ["SparseGenerator", "SurveyGenerator", "likert_survey", "sparse_ratings"]

_LEVELS = Parameter("levels", 5, "ratings are 1..levels; 2 to 255")


@checks.takes_random_state
def likert_survey(
    records: int,
    items: int,
    *,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    **parameters: Any,
) -> RatingTable:
    """Return a survey as a table; ``parameters`` are those of :class:`SurveyGenerator`.

    ``rng`` (or ``random_state``) is a seed or a Generator that draws one; the seed is kept in
    ``origin.details``.

    Raises
    ------
    ParameterError
        A parameter is out of range.
    """
    return table_of(SurveyModel(records, items, seed=checks.seed_from(rng), **parameters))


@checks.takes_random_state
def sparse_ratings(
    records: int,
    issues: int,
    ratings: int,
    *,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    **parameters: Any,
) -> RatingTable:
    """Return sparse ratings as a table; ``parameters`` are those of :class:`SparseGenerator`.

    ``rng`` and errors are as in :func:`likert_survey`.
    """
    return table_of(SparseModel(records, issues, ratings, seed=checks.seed_from(rng), **parameters))


class _Generator(abc.ABC):
    """What the two generators share: parameters by name, a table, a file."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    @abc.abstractmethod
    def _model(self, records: int, issues: int, seed: int, parameters: dict[str, Any]) -> Model:
        """Return the model; it checks the values of ``parameters``."""

    def table(self, *, records: int, issues: int, seed: int, **parameters: object) -> RatingTable:
        """Return the data as a table; ParameterError for a parameter that is unknown or out of range."""
        return table_of(self._checked(records, issues, seed, parameters))

    def write(
        self,
        path: str | Path,
        *,
        records: int,
        issues: int,
        seed: int,
        layout: str | None = None,
        force: bool = False,
        progress: Progress | None = None,
        **parameters: object,
    ) -> Written:
        """Write the data to a .csv, .tsv (both also .gz) or .parquet file in bounded memory; atomically.

        An issue that nobody rates has no row in a long file, and is not counted in ``Written.issues``.

        Raises
        ------
        ParameterError
            A parameter is unknown or out of range, or the name ends in something else.
        OutputError
            The file exists (without ``force``) or cannot be written.
        """
        model = self._checked(records, issues, seed, parameters)
        return write_blocks(model, path, layout=layout, force=force, progress=progress)

    def _checked(self, records: int, issues: int, seed: int, parameters: dict[str, object]) -> Model:
        names = [parameter.name for parameter in self.parameters]
        for name, value in parameters.items():
            if name not in names:
                raise ParameterError(name, value, f"one of the parameters {', '.join(names)}")
        return self._model(records, issues, seed, parameters)


class SurveyGenerator(_Generator):
    """Generator ``survey``: see :class:`~ratingpriv_loaders.synthetic.survey.SurveyModel`."""

    name = "survey"
    description = (
        "a Likert survey; an answer is the rounded sum of a few latent normal factors, weighted by the "
        "issue, and noise, and sensitive issues depend on all of the factors"
    )
    parameters = (
        Parameter("factors", 3, "how many latent factors; 1 to 1000"),
        _LEVELS,
        Parameter("missing", 0.0, "probability that an answer is left out; below 1"),
        Parameter("patterns", None, "how many skip patterns, equally likely; none by default"),
        Parameter("sensitive", ("income", "health"), "names of the sensitive issues"),
        Parameter("sensitive_missing", 0.0, "probability that a sensitive answer is left out; below 1"),
    )

    def _model(self, records: int, issues: int, seed: int, parameters: dict[str, Any]) -> Model:
        return SurveyModel(records, issues, seed=seed, **parameters)


class SparseGenerator(_Generator):
    """Generator ``sparse``: see :class:`~ratingpriv_loaders.synthetic.sparse.SparseModel`."""

    name = "sparse"
    description = (
        "sparse ratings with dates; power laws say how many ratings a record gives and how popular an issue "
        "is, and a rating is the rounded sum of an effect of the record, one of the issue, and noise"
    )
    parameters = (
        Parameter("ratings", None, "how many, exactly; by default 20 a record, or all if there are fewer"),
        Parameter("dates", True, "whether ratings have dates, from 2000-01-01 to 2005-12-31"),
        Parameter("popularity", 0.9, "exponent of the power law of issues; 0 (uniform) to 10"),
        Parameter("activity", 0.6, "exponent of the power law of records; 0 (uniform) to 10"),
        _LEVELS,
    )

    def _model(self, records: int, issues: int, seed: int, parameters: dict[str, Any]) -> Model:
        ratings = parameters.get("ratings")
        if ratings is None:
            whole_records = checks.whole_number("records", records, 1)
            ratings = whole_records * min(20, checks.whole_number("issues", issues, 1))
        return SparseModel(records, issues, **{**parameters, "ratings": ratings, "seed": seed})
