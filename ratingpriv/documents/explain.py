"""``ratingpriv.explain/1``: which few known ratings narrow one record down. It names a person's answers."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class IdentifyingSet(Document):
    """Some of the record's ratings that leave fewer than k records, none of which can be left out."""

    issues: list[str]  #: What they are ratings of.
    left: Positive  #: How many records rate all of these within epsilon of the record, itself included.


class Contribution(Document):
    """How much one rating does."""

    issue: str
    rating: float  #: The record's.
    share: Share  #: Of the sets, how many it is in.


class Blanks(Document):
    """Ratings without which nothing that is known of the record leaves fewer than k; null where not found."""

    issues: list[str]  #: What they are ratings of; as few as were found.
    proved: bool  #: Whether no fewer will do.
    #: Other records that fall below k, or by fewer known ratings, once this record fits them no more; null
    #: where that was not decided, which is never a zero.
    knock_on: Count | None


class Explanation(Document):
    """Which few known ratings narrow one record down. It names a person's answers."""

    schema: Literal["ratingpriv.explain/1"]
    tool: Tool
    dataset: DatasetShape
    selection: Selection | None  #: Null where nothing was left out of the data.
    record: str  #: Id as in the data.
    k: Positive  #: Fewer records than these are looked for.
    epsilon: Amount  #: Records within so much of each known rating are left.
    m: Positive  #: How many ratings are known, at most.
    ratings: Count  #: How many the record has.
    sets: list[IdentifyingSet]  #: The minimal sets, the smaller ones first.
    #: Whether these are all; otherwise there are more than are kept, and nothing is said of the rest.
    complete: bool
    contribution: list[Contribution]  #: Of each rating that is in a set, the largest share first.
    blanks: Blanks | None
