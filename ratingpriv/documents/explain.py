"""``ratingpriv.explain/1``: which few known ratings narrow one record down. It names a person's answers."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import DatasetShape, Selection, Tool
from ratingpriv.documents.form import Amount, Count, Document, Positive, Share


class IdentifyingSet(Document):
    """Some of the record's ratings that leave fewer than k records, none of which can be left out.

    Attributes
    ----------
    issues : What they are ratings of.
    left : How many records rate all of these within epsilon of the record, itself included.
    """

    issues: list[str]
    left: Positive


class Contribution(Document):
    """How much one rating does.

    Attributes
    ----------
    rating : The record's.
    share : Of the sets, how many it is in.
    """

    issue: str
    rating: float
    share: Share


class Blanks(Document):
    """Ratings without which nothing that is known of the record leaves fewer than k; null where not found.

    Attributes
    ----------
    issues : What they are ratings of; as few as were found.
    proved : Whether no fewer will do.
    knock_on : Other records that fall below k, or by fewer known ratings, once this record fits them no more;
        null where that was not decided, which is never a zero.
    """

    issues: list[str]
    proved: bool
    knock_on: Count | None


class Explanation(Document):
    """Which few known ratings narrow one record down. It names a person's answers.

    Attributes
    ----------
    schema : Name and version of this form.
    selection : Null where nothing was left out of the data.
    record : Id as in the data.
    k : Fewer records than these are looked for.
    epsilon : Records within so much of each known rating are left.
    m : How many ratings are known, at most.
    ratings : How many the record has.
    sets : The minimal sets, the smaller ones first.
    complete : Whether these are all; otherwise there are more than are kept, and nothing is said of the rest.
    contribution : Of each rating that is in a set, the largest share first.
    """

    schema: Literal["ratingpriv.explain/1"]
    tool: Tool
    dataset: DatasetShape
    selection: Selection | None
    record: str
    k: Positive
    epsilon: Amount
    m: Positive
    ratings: Count
    sets: list[IdentifyingSet]
    complete: bool
    contribution: list[Contribution]
    blanks: Blanks | None
