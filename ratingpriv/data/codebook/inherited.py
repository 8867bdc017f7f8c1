"""What the columns of a release are: what they are in the table that it was made from,
never guessed anew.

A release has fewer different answers than its original, by intent. So what a column looks like
there says less than what it is, and a column that kept few of its levels would be refused, or taken
for another thing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ratingpriv.data.codebook.codebook import Codebook
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.roles import AUDITED, ColumnSpec
from ratingpriv.data.table import RatingTable


def inherited_roles(
    options: ReadOptions,
    original: RatingTable,
    names: Iterable[str],
    words: Mapping[str, tuple[str, ...]],
) -> ReadOptions:
    """Return the options by which a wide release of ``original`` with these columns is read.

    ``words`` are those of scales, by column, in their order, where somebody else than the original
    says them. Of a column that the original does not have, what the options say of it stays.
    """
    book = options.codebook or Codebook()
    labels_of: Mapping[str, Iterable[str]] = {**original.origin.details.get("labels", {}), **words}
    roles = _roles(original)
    columns: dict[str, ColumnSpec] = {}
    for name in names:
        spec = book.spec_of(name)
        if name in roles:
            worded = roles[name].role in ("rating", "sensitive") and roles[name].kind is None
            labels = tuple(labels_of.get(name, spec.labels)) if worded else ()
            columns[name] = dataclasses.replace(roles[name], labels=labels, missing=spec.missing)
        elif spec != ColumnSpec():
            columns[name] = spec
    said_by_options = (
        "sensitive",
        "quasi",
        "identifier",
        "carry",
        "ratings",
        "drop",
        "keep",
        "only",
    )
    cleared: dict[str, Any] = dict.fromkeys(said_by_options, ())
    book = dataclasses.replace(book, columns=columns)
    return dataclasses.replace(options, **cleared, sensitive_scale={}, codebook=book)


def completed_roles(book: Codebook, release: RatingTable, names: Iterable[str]) -> Codebook:
    """Return a codebook of the original of ``release``,
    where that says what its columns ``names`` are.

    A column without a role in the codebook has the one that it has in the release; one that is
    audited, or of which nothing is said, and that the release does not have, is left out.
    """
    roles, columns = _roles(release), dict[str, ColumnSpec]()
    patterns = book.data.get("keep")
    for name in names:
        spec = book.spec_of(name)
        if name in roles and spec.role is None:
            role = roles[name]
            within = spec.within if role.within is None else role.within
            columns[name] = dataclasses.replace(
                spec, role=role.role, kind=spec.kind or role.kind, within=within
            )
        elif name not in roles and (spec.role in AUDITED or (spec.role is None and not patterns)):
            columns[name] = ColumnSpec(role="drop")
        elif spec != ColumnSpec():
            columns[name] = spec
    return dataclasses.replace(book, columns=columns)


def _roles(table: RatingTable) -> dict[str, ColumnSpec]:
    """Return what each column of a table is."""
    roles = {name: ColumnSpec(role="rating") for name in table.issues}
    for secret in table.sensitive:
        roles[secret.name] = ColumnSpec(
            role="sensitive", kind="nominal" if secret.nominal else None
        )
    roles |= {column.name: ColumnSpec(role="quasi", within=column.within) for column in table.quasi}
    return roles | {column.name: ColumnSpec(role="carry") for column in table.carried}


def as_in_original(release: RatingTable, original: RatingTable) -> RatingTable:
    """Return a release with what its original says of roles,
    and on its scale where its ratings are.
    """
    roles = None if original.roles is None else release.roles
    scale, levels = original.scale, release.levels
    if scale is None or not len(levels) or levels[0] < scale.minimum or levels[-1] > scale.maximum:
        scale = release.scale
    return release.replace(scale=scale, roles=roles)
