"""Anonymisation as an estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ratingpriv.anonymize.methods import METHODS, anonymize
from ratingpriv.base import checks
from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.table_like import as_table
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.building.conversion import full_order


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make ratings (k,ε)- or (k,ε,l)-anonymous, as :func:`ratingpriv.anonymize` does.

    What it makes of a record depends on all others. So there is no ``transform`` of other records,
    as there is none of ``sklearn.manifold.TSNE``: a record that joins later may be distinguishable,
    and has to be anonymised with all the others again. It cannot be a step of a Pipeline before the
    last one.

    What :meth:`fit_transform` returns is in the input's order and keeps pandas' index: it is for
    working with, not for publishing. To publish, write ``result_`` with
    :func:`ratingpriv.anonymize.release.writing.write_release`, which renames, shuffles, reads again
    and audits.

    Parameters
    ----------
    k : how many records each neighbourhood shall have; has to be given
    epsilon : the rating distance within which two ratings are indistinguishable; has to be given,
        but for "predictive". It is *not* the ε of differential privacy
    l : the SD that every sensitive column shall have in every neighbourhood; None asks for none
    method : "modify", "suppress" (leaves records out, so that there are fewer rows), "predictive"
        or "swap"
    options : the method's own options by name, as ``{"fill": "median"}``
    nulls, sensitive_nulls : the rules for nulls, as for :func:`ratingpriv.audit`
    sensitive : names of the sensitive columns of a data frame; of an array their positions
    quasi : of a data frame: quasi-identifiers, ``NAME`` or ``NAME=WITHIN``
    id : of a data frame: the column with the records' ids, which is not returned
    codebook : of a data frame: what its columns are
    scale : (minimum, maximum) of the ratings; None: as found, and columns that do not look like
        ratings (coordinates, numbers of many digits) are refused
    random_state : int, Generator or RandomState of numpy; None: by chance
    threads, memory : as for :func:`ratingpriv.audit`

    Attributes
    ----------
    result_ : Anonymized, with the records, what was done to them and its proof
    audit_ : AuditResult of the records
    distortion_ : Distortion, how far they are from the input
    kept_ : int64 (m,), ascending; the row in the input of each row returned
    n_features_in_, feature_names_in_ : the columns of the input

    Examples
    --------
    >>> import numpy as np
    >>> from ratingpriv import Anonymizer
    >>> ratings = np.array([[1, 1], [1, 2], [5, 5], [4, 5]])
    >>> made = Anonymizer(k=2, epsilon=1, scale=(1, 5))
    >>> made.fit_transform(ratings).tolist()
    [[1.0, 1.0], [1.0, 2.0], [5.0, 5.0], [4.0, 5.0]]
    >>> made.audit_.satisfied, made.distortion_.total
    (True, 0.0)
    """

    def __init__(
        self,
        k: int | None = None,
        epsilon: float | None = None,
        *,
        l: float | None = None,  # noqa: E741 -- the theory's word
        method: str = "modify",
        options: Mapping[str, Any] | None = None,
        nulls: str = "strict",
        sensitive_nulls: str = "paper",
        sensitive: Sequence[str | int] = (),
        quasi: Sequence[str] = (),
        id: str | None = None,  # noqa: A002 -- the word of the field, and of --id
        codebook: Codebook | str | Path | None = None,
        scale: tuple[float, float] | None = None,
        random_state: checks.RandomState | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.k = k
        self.epsilon = epsilon
        self.l = l
        self.method = method
        self.options = options
        self.nulls = nulls
        self.sensitive_nulls = sensitive_nulls
        self.sensitive = sensitive
        self.quasi = quasi
        self.id = id
        self.codebook = codebook
        self.scale = scale
        self.random_state = random_state
        self.threads = threads
        self.memory = memory

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: N803 -- scikit-learn's word
        """Anonymise ``X``; what came of it is in the attributes.

        Parameters
        ----------
        X : a polars or pandas data frame, a row a record; an array, NaN being "not rated"; or a
            sparse matrix of scipy, of which all entries are ratings, zeros included
        y : not used

        Raises
        ------
        ParameterError, DataError, ResourceError, TargetNotReachedError
            As :func:`ratingpriv.anonymize`.
        """
        checks.choice("method", self.method, METHODS)
        table = self._table(X)
        names = ("epsilon", "l", "nulls", "sensitive_nulls", "random_state", "threads", "memory")
        parameters = {
            "k": checks.whole_number("k", self.k, 1),
            **{name: getattr(self, name) for name in names},
        }
        made = anonymize(table, self.method, **parameters, **dict(self.options or {}))
        self.result_ = made
        self.audit_ = made.audit
        self.distortion_ = made.distortion
        self.kept_ = made.kept
        return self

    def fit_transform(self, X: Any, y: None = None, **fit_params: Any) -> Any:  # noqa: N803
        """Anonymise ``X`` and return it so, in what it came in: a data frame,
        an array or a sparse matrix.

        Parameters and errors are those of :meth:`fit`. Where records were suppressed there are
        fewer rows: ``kept_`` says which are left. ``set_output`` chooses another container.
        """
        self.fit(X, y, **fit_params)
        made = self.result_.table
        if hasattr(X, "tocoo"):
            return _sparse(made)
        if not _is_frame(X):
            return made.to_wide("polars")[:, 1:].cast(pl.Float64).to_numpy()
        wide = made.to_wide()
        if hasattr(wide, "iloc"):  # of pandas
            return wide.iloc[:, 1:].set_axis(X.index[self.kept_], axis="index")
        return wide[:, 1:]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns that come out, as an array of str objects."""
        check_is_fitted(self)
        names = full_order(self.result_.table)
        if not hasattr(self, "feature_names_in_"):
            names = [f"x{column}" for column in range(self.n_features_in_)]
        return np.asarray(names, dtype=object)

    def _table(self, data: Any) -> RatingTable:
        """Check what was given, and read it as a table."""
        options: dict[str, Any] = {
            name: value
            for name in ("quasi", "id", "codebook", "scale")
            if (value := getattr(self, name)) not in (None, (), [])
        }
        if _is_frame(data):
            validate_data(self, data, skip_check_array=True)
            return as_table(data, sensitive=tuple(self.sensitive), **options)
        allowed: dict[str, Any] = {
            "accept_sparse": ("csr", "csc", "coo"),
            "ensure_all_finite": "allow-nan",
        }
        data = validate_data(self, data, dtype="numeric", ensure_min_samples=2, **allowed)
        columns = [checks.whole_number("sensitive", column, 0) for column in self.sensitive]
        return as_table(data, sensitive=tuple(str(column + 1) for column in columns), **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and not hasattr(data, "tocoo")


def _sparse(table: RatingTable) -> Any:
    """Return the ratings and the sensitive values that are there; a 0 is one."""
    from scipy.sparse import csr_array, hstack

    n = table.n_records
    parts = [csr_array((table.values, table.indices, table.indptr), shape=(n, table.n_issues))]
    for column in table.sensitive:
        indptr = np.concatenate(([0], np.cumsum(column.present)))
        values = column.values[column.present]
        parts.append(
            csr_array((values, np.zeros(len(values), dtype=np.int32), indptr), shape=(n, 1))
        )
    names = [*table.issues, *(column.name for column in table.sensitive)]
    position = {name: number for number, name in enumerate(names)}
    return hstack(parts, format="csr")[:, [position[name] for name in full_order(table)]]
