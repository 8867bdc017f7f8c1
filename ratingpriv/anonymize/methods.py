"""The ways to make records anonymous, by name; each is loaded when it is called."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ratingpriv import checks
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.codebook.python.table_like import TableLike, takes_frames
from ratingpriv.errors import ParameterError
from ratingpriv.progress import Progress

__all__ = ["METHODS", "Method", "anonymize", "method_options"]


@dataclass(frozen=True, slots=True)
class Method:
    """A function with the parameters of :func:`anonymize`, and ``options`` of its own.

    Attributes
    ----------
    module, function : where it is
    options : the names of the parameters that it has beside the common ones
    """

    module: str
    function: str
    options: tuple[str, ...] = ()


METHODS = {
    "modify": Method(
        "ratingpriv.anonymize.modification.modify", "modify", ("strategy", "grouping", "fabricate", "fill")
    ),
    "suppress": Method("ratingpriv.anonymize.suppression.suppress", "suppress"),
}


def method_options(method: str) -> tuple[str, ...]:
    """Return the options of a method beside the common parameters.

    Raises
    ------
    ParameterError
        There is no such method.
    """
    return METHODS[checks.choice("method", method, METHODS)].options


@takes_frames
def anonymize(
    table: TableLike,
    method: str = "modify",
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Anonymized:
    """Make ``table`` (k,ε)- or, with ``l``, (k,ε,l)-anonymous [SWLZ11, Def. 4.2-4.3].

    Parameters
    ----------
    table : n records, or what :func:`ratingpriv.codebook.python.table_like.as_table` takes
    method : "modify": change ratings, looking for little change; every record is released, but for fewer
        than k where quasi-identifiers leave no other way
        (:func:`ratingpriv.anonymize.modification.modify.modify`); "suppress": change no rating, leave out the
        fewest records (:func:`ratingpriv.anonymize.suppression.suppress.suppress`)
    k : how many records each neighbourhood shall have, a whole number >= 1
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable. It is *not* the ε of
        differential privacy
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for none
    nulls, sensitive_nulls : the rules for nulls, as for :func:`ratingpriv.audit`
    rng : seed or generator; the same one gives the same changes, whatever the number of threads. None: a seed
        from the operating system, which no result tells: only the key that is written with the release
    threads : how many threads; None: one for each available core
    memory : bytes that working arrays may take; None: each step's default
    progress : called with (what is being done, units done, units in all or None) as long work goes on
    strategy : an option of "modify": "window" (the default), the least change that makes a given group a
        clique, or "paper", the papers' rules [SWLP10, §4.5]
    grouping : an option of "modify": "cheapest" (the default), of the following, where there are few records,
        the one that costs least, and the first where there are many; "distortion", groups made for little
        distortion; "partition", those of :func:`ratingpriv.partition`; "paper" [SWLP10, §4.4]
    fabricate : an option of "modify": whether a null may become a rating, True by default
    fill : an option of "modify": what a null becomes: "metric" (the default), what is cheapest in the papers'
        metric, which takes a null for a 0, so that low ratings are invented; "median", the group's median

    Returns
    -------
    Anonymized
        The records to release, what was done to them, and their audit;
        :func:`ratingpriv.anonymize.release.writing.write_release` writes them.

    Raises
    ------
    ParameterError
        There is no such method, it has no such option, or an argument is out of range.
    ResourceError
        The table is too large for ``memory``.
    TargetNotReachedError
        The target cannot be reached, or no such release was found; ``best`` is the best attempt, or None.
    """
    known = method_options(method)
    for name, value in options.items():
        if name not in known:
            others = ", ".join(known) or "none"
            raise ParameterError(
                name, value, f"not to be given: {method} has no such option (it has: {others})"
            )
    function = getattr(importlib.import_module(METHODS[method].module), METHODS[method].function)
    made = function(
        table,
        k=k,
        epsilon=epsilon,
        l=l,
        nulls=nulls,
        sensitive_nulls=sensitive_nulls,
        rng=rng,
        threads=threads,
        memory=memory,
        progress=progress,
        **options,
    )
    return cast("Anonymized", made)
