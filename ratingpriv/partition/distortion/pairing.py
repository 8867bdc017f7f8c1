"""Which released record is which original one: by key, or because ids were kept; never by a guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.resemblance import resemblance

__all__ = ["positions_in_release"]


def positions_in_release(original: RatingTable, release: RatingTable, truth: Key | str) -> NDArray[np.int64]:
    """Return where each original record is in the release, int64 (n_records,); -1: it was suppressed.

    Ids are compared as the text they print as: a key or a release may have read numbers as text.

    Raises
    ------
    ParameterError
        The truth does not fit: a record that it names is not in the release, a record of the original or of
        the release is not in it, it was made for other files, or the ids were assigned anew.
    """
    place = {str(one): position for position, one in enumerate(release.record_ids.to_list())}
    ids = [str(one) for one in original.record_ids.to_list()]
    if isinstance(truth, Key):
        _check_files(original, release, truth)
        paired = {
            str(one): None if other is None else str(other)
            for one, other in zip(truth.original, truth.released, strict=True)
        }
        remedy = "use the key that was written with this release"
        missing = next((one for one in ids if one not in paired), None)
        if missing is not None:
            found, expected = f"a key without record no. {ids.index(missing) + 1}", "every original record"
            raise ParameterError("truth", found, expected, remedy, cell=missing)
        lost = next((one for one in paired.values() if one is not None and one not in place), None)
        if lost is not None:
            found = "a key with a released record that is not there"
            raise ParameterError("truth", found, "records of the release", remedy, cell=lost)
        strange = min(place.keys() - set(paired.values()), default=None)
        if strange is not None:
            found, expected = f"a key without released record no. {place[strange] + 1}", "every one"
            raise ParameterError("truth", found, expected, remedy, cell=strange)
        answers = [paired[one] for one in ids]
    elif isinstance(truth, str) and truth == "ids":
        strange = min(place.keys() - set(ids), default=None)
        if strange is not None:
            raise ParameterError(
                "truth", truth, f"ids that were kept; released record no. {place[strange] + 1} has another",
                "name the release's key file", cell=strange,
            )  # fmt: skip
        answers = list(ids)
        places = np.array([place.get(one, -1) for one in ids], dtype=np.int64)
        if resemblance(original, release, places) == "others":
            # an attack on ids that were dealt out anew would fail and look like safety
            raise ParameterError(
                "truth", truth, "ids that were kept; here records of one id do not resemble each other",
                "name the release's key file",
            )  # fmt: skip
    else:
        raise ParameterError("truth", truth, "a key, or 'ids' if the release kept the records' ids")
    return np.array([-1 if one is None else place.get(one, -1) for one in answers], dtype=np.int64)


def _check_files(original: RatingTable, release: RatingTable, truth: Key) -> None:
    for fact, table, what in (
        ("input_sha256", original, "original"),
        ("release_sha256", release, "release"),
    ):
        said, is_ = truth.facts.get(fact), table.origin.sha256
        if said is not None and is_ is not None and said != is_:
            found, expected = f"a key of the {what} {str(said)[:12]}...", f"one of {table.origin.name}"
            raise ParameterError("truth", found, expected, "use the key that was written with this release")
