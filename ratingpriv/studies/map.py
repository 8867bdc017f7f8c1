"""The map of what may be published: what withholding does everywhere, what was tried,
and the choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.cautions import Caution, Standing
from ratingpriv.base.display import Result
from ratingpriv.base.frames import frame_of
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.studies.candidates import OF_MAP, Candidate
from ratingpriv.studies.choice import SOURCE, Choice, Demands
from ratingpriv.studies.distances import Distance, K
from ratingpriv.studies.found import Found
from ratingpriv.studies.remedies import Remedy
from ratingpriv.studies.trials import Trials

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Map(Result):
    """What :func:`ratingpriv.recommend` found.

    Attributes
    ----------
    epsilons : every distance that was considered, with what withholding does
    cells : the candidates that were computed, by (method, k, epsilon)
    choice : what may be published; None: nothing keeps the demands
    keeps_more : a candidate that keeps more and does not keep the demands; None: there is none
    nearest : where nothing is chosen, what would do
    notes : what was not compared, and why
    cautions : reservations that every release of the data has
    accept : codes of those with which the choice is a yes to whoever asks
    """

    dataset: TableDescription
    parameters: Mapping[str, Any]
    epsilons: tuple[Distance, ...]
    cells: Mapping[tuple[str, int, float], Candidate]
    choice: Choice | None
    keeps_more: Candidate | None
    nearest: tuple[Remedy, ...]
    notes: tuple[str, ...]
    cautions: tuple[Caution, ...]
    accept: tuple[str, ...]
    demands: Demands
    trials: Trials = field(repr=False, compare=False)

    @property
    def withheld(self) -> dict[tuple[int, float], int]:
        """The fewest records to withhold, by (k, epsilon); exact, without an l."""
        return {
            (k, one.epsilon): fewest
            for one in self.epsilons
            for k, fewest in zip(K, one.withheld, strict=False)
        }

    @property
    def found(self) -> dict[tuple[str, int, float], Found]:
        """Who can be re-identified, by (method, k, epsilon),
        of all candidates that were computed.
        """
        return {key: one.found for key, one in self.cells.items()}

    def cell(self, method: str, k: int, epsilon: float) -> Candidate:
        """Return a candidate with what it is good for; what was not computed is, and is kept.

        ParameterError for a method, k or epsilon that a map has not.
        """
        checks.choice("method", method, OF_MAP)
        k = checks.whole_number("k", k, 1)
        epsilon = checks.non_negative_number("epsilon", epsilon)
        one = self.trials.cells[method, k, epsilon] = self.trials.useful(
            self.trials.cell(method, k, epsilon)
        )
        return one

    @property
    def standing(self) -> Standing:
        """What the choice comes to with the reservations of the data: only a plain one is a yes."""
        return Standing.of(self.choice is not None, self.cautions, self.accept)

    def passes(self, one: Candidate) -> bool:
        """Whether a candidate surely keeps every demand."""
        return self.demands.keeps(one, self.dataset.records)

    def to_frame(self) -> pl.DataFrame:
        """Return a row a candidate: the keys of ``cells`` in the JSON,
        those of ``found`` by ``found.low``.

        ``passes`` (Boolean): whether it keeps every demand.
        """
        rows = [{**one.to_dict(), "passes": self.passes(one)} for one in self.cells.values()]
        return frame_of(rows, _FRAME)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.recommend/2``."""
        chosen, more = self.choice, self.keeps_more
        return document_of(
            documents.Recommendation,
            self,
            selection=self.dataset.selection,
            k=[K.start, K.stop - 1],
            chosen=chosen is not None,
            accepted=self.standing.accepted,
            threshold={"value": self.demands.found_at_most, "source": SOURCE},
            cells=[{**one.to_dict(), "passes": self.passes(one)} for one in self.cells.values()],
            choice=None if chosen is None else document_of(documents.Chosen, chosen),
            keeps_more=None if more is None else more.to_dict() | {"passes": self.passes(more)},
        )

    def __repr__(self) -> str:
        said = "nothing keeps the demands" if self.choice is None else self.choice.words
        return f"<Map of {self.dataset.name!r}: {said}>"


_FRAME: Mapping[tuple[str, ...], type] = {
    ("method",): str,
    ("k",): int,
    ("epsilon",): float,
    ("left_out",): int,
    **{(name,): float for name in ("changed", "scatter", "correlations_moved", "query_error")},
    **{("found", name): float for name in ("low", "high")},
    **{("found", name): str for name in ("by", "law")},
    ("found", "targets"): int,
    ("read",): float,
    ("passes",): bool,
    ("reason",): str,
}
