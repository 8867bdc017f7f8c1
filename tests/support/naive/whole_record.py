"""The strongest adversary by plain loops, straight from the definition."""

from __future__ import annotations

import math


def rows_of(table, columns):
    """Return each record as a tuple of (value or None),
    by the names of issues and quasi-identifiers.
    """
    rows = []
    for record in range(table.n_records):
        cells = dict.fromkeys(columns)
        for entry in range(int(table.indptr[record]), int(table.indptr[record + 1])):
            name = ("issue", table.issues[int(table.indices[entry])])
            if name in cells:
                cells[name] = float(table.levels[int(table.codes[entry])])
        for quasi in table.quasi:
            code = int(quasi.codes[record])
            if code >= 0:
                cells["quasi", quasi.name] = quasi.values[code]
        rows.append(tuple(cells[name] for name in columns))
    return rows


def columns_of(table):
    """Return the names of all that an adversary may know of a record."""
    return [("issue", name) for name in table.issues] + [("quasi", one.name) for one in table.quasi]


def similarity(kind, known, released, spans):
    """Return how similar two rows are; ``spans``: of each column the range of its numbers,
    or None.
    """
    total = 0
    for own, other, span in zip(known, released, spans, strict=True):
        unit = 256 if kind == "closeness" else 1
        if own is None or other is None:
            total += unit * (own is None and other is None)
        elif own == other:
            total += unit
        elif kind == "consistency":
            total -= len(known) + 1
        elif kind == "closeness" and span is not None:
            total += round(256 * math.exp(-abs(own - other) / (3 / 8 * span)))
    return total


def whole_record(original, release=None, places=None):
    """Return how many are found, expected, and how many distinct rows there are."""
    release = original if release is None else release
    places = list(range(original.n_records)) if places is None else [int(place) for place in places]
    columns = columns_of(release)
    before, after = rows_of(original, columns), rows_of(release, columns)
    pairs = [(before[person], place) for person, place in enumerate(places) if place >= 0]
    everything = [*after, *(known for known, _ in pairs)]
    levels = [
        cell
        for row in everything
        for cell, name in zip(row, columns, strict=True)
        if name[0] == "issue"
    ]
    levels = [cell for cell in levels if cell is not None]
    spans = []
    for place, (kind, _) in enumerate(columns):
        numbers = (
            levels
            if kind == "issue"
            else [row[place] for row in everything if row[place] is not None]
        )
        if any(isinstance(number, str) for number in numbers):
            spans.append(None)
        else:
            spans.append(max(numbers, default=0.0) - min(numbers, default=0.0))
    sure = 0.0
    alone = []
    for known, place in pairs:
        equal = [other for other in range(release.n_records) if after[other] == known]
        if not equal:
            alone.append((known, place))
        elif place in equal:
            sure += 1 / len(equal)
    found = []
    for kind in ("agreement", "consistency", "closeness"):
        total = 0.0
        for known, place in alone:
            scores = [similarity(kind, known, other, spans) for other in after]
            best = [other for other, score in enumerate(scores) if score == max(scores)]
            total += (place in best) / len(best)
        found.append(total)
    return sure + max(found), len(set(after))
