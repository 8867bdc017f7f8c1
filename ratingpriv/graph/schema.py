"""What is in a store: labels, relationship types, and the properties that loads, runs and releases write.

docs/graph-schema.md is written from this and from the keys and indexes of ``cypher/schema``
(``python -m website.graph_schema`` in docs/); a test compares it with what is in either store.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ratingpriv.graph.catalogue import Column


@dataclass(frozen=True, slots=True)
class Part:
    """A label, or a relationship type with its two ends; a property of type ``T?`` may be absent."""

    name: str
    meaning: str
    properties: tuple[Column, ...]
    ends: tuple[str, ...] = ()


_LABELS = """
Dataset: a table that was ingested; a release is a dataset of its own, called NAME/RUN
    name: STRING -- its name; all other nodes have it as their dataset
    complete: BOOLEAN -- false until everything was counted: no question is answered before
    records: INTEGER -- records
    groups: INTEGER -- Hamming groups
    issues: INTEGER -- issues, the sensitive ones included
    ratings: INTEGER -- RATED relationships
    pairs: INTEGER -- PROXIMATE relationships
    epsilonMax: FLOAT -- pairs up to this distance are there, so that any smaller epsilon can be asked
    nulls: STRING -- the null rule of the distances: strict or wildcard
    edges: STRING -- all, or at-risk: only pairs of records with fewer than k in their neighbourhood
    k: INTEGER? -- that k
    levels: LIST<FLOAT>? -- distances, from 0 to epsilonMax, at which records have their sizes
    everyLevel: BOOLEAN? -- whether these are all distances up to epsilonMax that two records can be apart
    allRatings: BOOLEAN -- whether the ratings that are not sensitive are there, too
    scaleMin: FLOAT? -- the smallest rating of the scale
    scaleMax: FLOAT? -- the largest
    scaleDeclared: BOOLEAN -- whether somebody declared the scale
    ratingMin: FLOAT? -- the smallest rating that is not sensitive
    ratingMax: FLOAT? -- the largest
    quasi: STRING? -- the rules of the quasi-identifiers in words
    quasiRules: STRING? -- the same as JSON, with recodes
    quasiProperties: LIST<STRING>? -- the property that holds the values of each
    selection: STRING? -- which part of the data it is, as JSON
    reservations: STRING? -- what changes the verdicts about it, as JSON
    pseudonymized: BOOLEAN -- whether the ids of records were replaced
    sourceSha256: STRING? -- of the data file
    fingerprint: STRING -- what else was equal when a load that broke off went on
    tool: STRING -- who wrote it
    createdAt: STRING -- when the load began, UTC
    changing: STRING? -- the load that is taking its place at this moment
Record: a record of the table: somebody who answered
    dataset: STRING -- the dataset's name
    id: ANY -- as in the data, a text or a whole number; replaced where ids were pseudonymized
    position: INTEGER -- its 0-based place in the data, which breaks every tie
    hammingGroup: INTEGER -- id of its Hamming group
    sizes: LIST<INTEGER>? -- records in its neighbourhood, itself included, at each of the dataset's levels
    atRisk: BOOLEAN? -- whether its pairs are there, where edges is at-risk
    quasi_NAME: ANY? -- its value of a quasi-identifier that may differ by a width; absent: null
    quasiValues: STRING? -- all its values of quasi-identifiers in words
    quasiCode: LIST<INTEGER>? -- by column, in the order of the rules, the code of its value; -1: null
    quasiLeast: LIST<INTEGER>? -- the smallest code that the rule of the column allows
    quasiMost: LIST<INTEGER>? -- the largest
ReleasedRecord: a second label of the records of a release
HammingGroup: the records that rate the same issues and have the same values where these have to be equal
    dataset: STRING -- the dataset's name
    id: INTEGER -- its number, by the first record of each
    size: INTEGER -- records in it
    supportSize: INTEGER -- issues that they rate
    quasi_NAME: ANY? -- their value of a quasi-identifier that has to be equal; absent: null
    quasiValues: STRING? -- all these values in words
    quasiClass: INTEGER? -- groups of one class have equal values
Issue: a question, or a film
    dataset: STRING -- the dataset's name
    name: STRING -- its name
    position: INTEGER -- its 0-based place in the data, sensitive ones last
    sensitive: BOOLEAN -- whether it must not be learnt
    labels: LIST<STRING>? -- of a sensitive issue that is nominal: what the ratings 0, 1, ... mean
Run: one decomposition into cliques, by its name
    dataset: STRING -- the dataset's name
    run: STRING -- its name
    k: INTEGER -- the least size of a clique
    epsilon: FLOAT -- how far two ratings of a clique may be apart
    seedOrder: STRING -- whose turn comes first: position, or fewest (neighbours)
    records: INTEGER -- records of the dataset when it began
    complete: BOOLEAN -- false until everything was counted, and for good where it broke off
    token: STRING -- who writes it: another run of the same name has another
    statements: INTEGER -- statements so far
    ratings: BOOLEAN -- whether the ratings are there, so that merging and borrowing can be asked
    grid: BOOLEAN -- whether unit makes all ratings whole
    unit: FLOAT -- 10 to the number of decimals of the ratings
    width: FLOAT -- epsilon in units
    fill: FLOAT -- the rating closest to 0 on the scale, in units: what a null becomes
    separates: BOOLEAN -- whether a null is never within epsilon of a rating
Clique: a group of a run: every two of its records are proximate, but where it was merged or borrowed
    dataset: STRING -- the dataset's name
    run: STRING -- the run's
    id: INTEGER -- position of a member
    size: INTEGER -- members
    component: INTEGER -- position of the first record of their connected component
    made: STRING -- greedy, whole (a component), merged or borrowed
    turn: INTEGER? -- of its seed
Release: what was made of a dataset to be published
    dataset: STRING -- name of the original
    run: STRING -- its name
    released: STRING -- the dataset that it is: NAME/RUN
    complete: BOOLEAN -- false until everything was counted
    linked: BOOLEAN -- whether RELEASED_AS leads to its records: the private key was given
    records: INTEGER? -- released records
    ratings: BOOLEAN? -- whether both datasets have their ratings
    epsilonMax: FLOAT? -- of the release
    createdAt: STRING -- when it was announced, UTC
Load: a load under way or broken off; it has the properties of the Dataset to be, too
    token: STRING -- its own name, a hash of what is loaded
    key: STRING -- what its nodes have as dataset: the name, or a key of its own until it takes a place
    state: STRING -- loading, or cleaning
    issuesDone: INTEGER -- issues that have arrived
    groupsDone: INTEGER -- Hamming groups
    recordsDone: INTEGER -- records
    ratingsDone: INTEGER -- ratings
    pairsDone: INTEGER -- pairs
    touchedAt: STRING? -- when a batch arrived last, UTC
"""

_TYPES = """
PROXIMATE (Record, Record): at most epsilonMax apart on every issue, and no rule of quasi-identifiers broken
    distance: FLOAT -- the largest difference of their ratings
RATED (Record, Issue): the record rates the issue; no relationship: a null, never a 0
    rating: FLOAT -- the rating
    timestamp: ANY? -- when, as the data say it
IN_GROUP (Record, HammingGroup): its group
MEMBER_OF (Record, Clique): it is in this clique of a run
    turn: INTEGER -- whose turn made it so
LEFT_OUT (Record, Run): no clique of the run has it; until the run is complete, not yet
    component: INTEGER -- position of the first record of its connected component
    turn: INTEGER -- its turn
    state: STRING -- how far it is: left, in a run that is complete
    clique: INTEGER? -- the clique that it is going to be in
    made: STRING? -- how
    near: LIST<INTEGER>? -- positions of its neighbours, while the run is under way
WITHIN (Record, Record): a record at risk has this one within epsilon, drawn by browse/mark-reasons
    rank: INTEGER -- from 0, the nearest first
    epsilon: FLOAT -- what it was drawn for
    distance: FLOAT -- that of their pair
BEYOND (Record, Record): a record at risk and the closest of those that are not, drawn by browse/mark-reasons
    rank: INTEGER -- after those within epsilon
    epsilon: FLOAT -- what it was drawn for
    because: STRING -- the answers that keep them apart, or how far they are
RELEASED_AS (Record, ReleasedRecord): it was released as this one; who reads it can undo the release
    distortion: FLOAT? -- sum |x - x'| over the issues, a null counted as 0
"""


def _parts(text: str) -> Iterator[Part]:
    for block in text.strip().replace("\n    ", "\0").splitlines():
        head, *lines = block.split("\0")
        heading, _, meaning = head.partition(": ")
        name, _, ends = heading.rstrip(")").partition(" (")
        columns = []
        for line in lines:
            column, _, rest = line.partition(": ")
            type_, _, said = rest.partition(" -- ")
            columns.append(Column(column, type_, said))
        yield Part(name, meaning, tuple(columns), tuple(ends.split(", ")) if ends else ())


LABELS = {part.name: part for part in _parts(_LABELS)}
TYPES = {part.name: part for part in _parts(_TYPES)}


def properties(*names: str) -> tuple[str, ...]:
    """Return the names of the properties of some labels or types."""
    return tuple(column.name for name in names for column in ({**LABELS, **TYPES})[name].properties)
