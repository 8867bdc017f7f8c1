"""The library as questions to be asked: queries of one statement, iterated ones, and jobs alike."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ratingpriv.errors import ParameterError
from ratingpriv.graph.binding import bind, parse_text
from ratingpriv.graph.catalogue import Query, catalogue, query
from ratingpriv.graph.iterating import PARTS, iterate, iterated_queries
from ratingpriv.graph.jobs import JOBS, is_step
from ratingpriv.graph.store import GraphStore, Result
from ratingpriv.progress import Progress

__all__ = ["Question", "question", "questions"]

_UPKEEP = ("load/", "schema/")


@dataclass(frozen=True, slots=True)
class Question:
    """A query, or several statements that are one query, under one contract.

    Attributes
    ----------
    query : the contract: id, parameters, columns. Of an iterated one it is that of its result, with the
        parameters of all its parts but ``run``, which is chosen when it is asked
    parts : the statements in their order; one, or those of an iterated query or a job
    """

    query: Query
    parts: tuple[Query, ...]

    @property
    def id(self) -> str:
        """The name to ask by."""
        return self.query.id

    @property
    def iterated(self) -> bool:
        """Whether one of its statements is repeated until it changes nothing."""
        return len(self.parts) > 1

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing; an iterated one leaves marks, and takes them away at the end."""
        return all(part.is_read for part in self.parts)

    @property
    def is_upkeep(self) -> bool:
        """Whether it is a part of how datasets are loaded, rather than a question about one."""
        return self.id.startswith(_UPKEEP)

    @property
    def is_part(self) -> bool:
        """Whether it is a part of an iterated query or a job."""
        return self.id.rpartition("/")[0] in iterated_queries() or is_step(self.id)

    def parameters(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return parameters given as texts, parsed and checked against the contract.

        Raises
        ------
        ParameterError
            One is missing, unknown, or of another type than the header says.
        """
        return bind(self.query, parse_text(self.query, texts))

    def ask(self, store: GraphStore, *, progress: Progress | None = None, **params: Any) -> Result:
        """Run it on ``store``; errors as :meth:`GraphStore.run`."""
        if self.id in JOBS:
            return JOBS[self.id].ask(store, progress=progress, **bind(self.query, params))
        if self.iterated:
            return iterate(store, self.id, progress=progress, **params)
        return store.run(self.id, **params)


def question(name: str, engine: str | None = None, *, everything: bool = False) -> Question:
    """Return the question called ``name``, in the text for ``engine`` where it has one of its own.

    With ``everything`` also one that is not for asking, to be looked at.

    Raises
    ------
    UnknownQueryError
        There is none; the message names the nearest ones.
    ParameterError
        It changes what ``ratingpriv ingest`` keeps in order, and is not for asking.
    """
    if name in iterated_queries():
        return _iterated(name, engine)
    if name in JOBS:
        return _job(name, engine)
    found = query(name, engine)
    if name.startswith(_UPKEEP) and not found.is_read and not everything:
        raise ParameterError(
            "query", name, "a query that is for asking", "this one is a part of ratingpriv ingest"
        )
    return Question(found, (found,))


def questions(*, everything: bool = False) -> list[Question]:
    """Return all questions by name; with ``everything`` also the parts of others, and those of upkeep."""
    found = [Question(one, (one,)) for one in catalogue().values()]
    kept = [one for one in found if everything or not (one.is_upkeep or one.is_part)]
    kept += [_iterated(name, None) for name in iterated_queries()]
    kept += [_job(name, None) for name in JOBS]
    return sorted(kept, key=lambda one: one.id)


def _iterated(name: str, engine: str | None) -> Question:
    parts = tuple(query(f"{name}/{part}", engine) for part in PARTS)
    params = {param.name: param for part in parts for param in part.params if param.name != "run"}
    start, repeated, result, _ = parts
    contract = dataclasses.replace(
        result,
        id=name,
        title=start.title.partition(",")[0],
        definition=start.definition,
        params=tuple(params.values()),
        reads=tuple(dict.fromkeys(label for part in parts for label in part.reads)),
        writes=tuple(dict.fromkeys(label for part in parts for label in part.writes)),
        complexity=repeated.complexity,
        example=start.example.replace(f"{name}/init", name).replace(" --param run=a", ""),
        text="\n".join(part.text.rstrip() + ";\n" for part in parts),
        engine=None,
    )
    return Question(contract, parts)


def _job(name: str, engine: str | None) -> Question:
    job = JOBS[name]
    parts = tuple(query(statement, engine) for statement in job.statements)
    contract = dataclasses.replace(
        query(job.result, engine),
        id=name,
        title=job.title,
        definition=job.definition,
        params=job.params,
        reads=tuple(dict.fromkeys(label for part in parts for label in part.reads)),
        writes=tuple(dict.fromkeys(label for part in parts for label in part.writes)),
        complexity=query("partition/decompose/seed", engine).complexity,
        example=job.example,
        text="\n".join(part.text.rstrip() + ";\n" for part in parts),
        engine=None,
    )
    return Question(contract, parts)
