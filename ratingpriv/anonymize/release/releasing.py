"""A release of data in one call: made, measured, attacked, and written with its proof."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ratingpriv.anonymize.methods import anonymize, check_method_options
from ratingpriv.anonymize.release.attacked import attacked
from ratingpriv.anonymize.release.manifest import manifest_path
from ratingpriv.anonymize.release.result import Release
from ratingpriv.anonymize.release.signatures import SigningKey, signing_key
from ratingpriv.anonymize.release.usefulness import check_published, usefulness
from ratingpriv.anonymize.release.writing import check_places, write_release
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import TableLike, takes_frames
from ratingpriv.data.formats.writing import check_format, choose_format, refuse_columns_beside_ratings

__all__ = ["Publish", "make_release"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """How a release is published, and what is measured of it before; checked when it is made.

    Attributes
    ----------
    path : the release; its manifest becomes ``path`` + ".manifest.json"
    order_seed : where the random order comes from; None: the operating system, so that nobody can repeat it
    utility : "quick", "all" or "none" of the measures of use are taken; with "none" there is no attack either
    key, ids, format, layout, labels, timestamps, csv_safe, force, sign, publish_utility, accept : as for
        :func:`ratingpriv.anonymize.write_release`

    Raises
    ------
    ParameterError, OutputError
        A value is out of range, or a file could not be written in the end.
    """

    path: str | Path
    key: str | Path | None = None
    ids: str = "shuffle"
    order_seed: int | None = None
    format: str | None = None
    layout: str | None = None
    labels: str = "words"
    timestamps: bool = False
    csv_safe: bool = False
    force: bool = False
    sign: SigningKey | str | Path | None = None
    utility: str = "quick"
    publish_utility: Sequence[str] = ()
    accept: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check what needs no data for that."""
        if self.format is not None:
            check_format(self.format)
        stated = check_published(self.publish_utility, self.utility)
        object.__setattr__(self, "publish_utility", stated)
        check_places(self.path, self.key, force=self.force)
        if self.sign is not None and not isinstance(self.sign, SigningKey):
            object.__setattr__(self, "sign", signing_key(self.sign))

    @property
    def files(self) -> tuple[Path, ...]:
        """What is written: the release, its manifest and its key."""
        release = Path(self.path).resolve()
        return (release, manifest_path(release), *(() if self.key is None else (Path(self.key).resolve(),)))


@takes_frames
def make_release(
    table: TableLike,
    method: str,
    target: Target,
    publish: Publish,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    resources: Resources = Resources(),
) -> Release:
    """Make ``table`` anonymous, measure and attack what was made, and write it, proved from the written file.

    Parameters
    ----------
    table : the data, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    method : one of :data:`ratingpriv.anonymize.methods.METHODS`
    target : what the release shall meet
    options : the method's own, by the names that :func:`ratingpriv.anonymize` has for them
    seed : of what the method draws; None: from the operating system

    Raises
    ------
    ParameterError
        An option is out of range, or the format has no place for the table.
    TargetNotReachedError, OutputError, ResourceError
        As :func:`ratingpriv.anonymize` and :func:`ratingpriv.anonymize.write_release`. Nothing is written.
    """
    options = options or {}
    check_method_options(method, options, timestamps=publish.timestamps)
    choose_format(table, str(publish.path), publish.format)  # what cannot be written is said before long work
    if (publish.layout or table.origin.layout) == "long":
        refuse_columns_beside_ratings(table)
    limits = resources.keywords
    made = anonymize(table, method, **dataclasses.asdict(target), **options, rng=seed, **limits)
    # who knows the seed could ask the measures of a manifest anew
    asked = seed if seed is not None or publish.publish_utility else 0
    useful = usefulness(made, table, amount=publish.utility, rng=asked, resources=resources)
    found = None if publish.utility == "none" else attacked(made, table, resources=resources)
    how = {field.name: getattr(publish, field.name) for field in dataclasses.fields(publish)}
    how |= {"rng": how.pop("order_seed"), "utility": useful}
    return dataclasses.replace(write_release(made, **how, original=table, **limits), attack=found)
