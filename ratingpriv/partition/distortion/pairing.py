"""Which released record is which original one: by key, or because ids were kept; never by a guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.resemblance import resemblance


def positions_in_release(original: RatingTable, release: RatingTable, truth: Key | str) -> NDArray[np.int64]:
    """Return where each original record is in the release, int64 (n_records,); -1: it was suppressed.

    Ids are compared as the text they print as: a key or a release may have read numbers as text.

    Raises
    ------
    ParameterError
        The truth does not fit: a record that it names is not in the release, a record of the original or of
        the release is not in it, it was made for other files, or the ids were assigned anew.
    """
    positions = {str(record): position for position, record in enumerate(release.record_ids.to_list())}
    ids = [str(record) for record in original.record_ids.to_list()]
    if isinstance(truth, Key):
        _check_files(original, release, truth)
        paired = {
            str(own): None if other is None else str(other)
            for own, other in zip(truth.original, truth.released, strict=True)
        }
        remedy = "use the key that was written with this release"
        missing = next((own for own in ids if own not in paired), None)
        if missing is not None:
            fault, expected = f"a key without record no. {ids.index(missing) + 1}", "every original record"
            raise ParameterError("truth", fault, expected, remedy, cell=missing)
        lost = next((own for own in paired.values() if own is not None and own not in positions), None)
        if lost is not None:
            fault = "a key with a released record that is not there"
            raise ParameterError("truth", fault, "records of the release", remedy, cell=lost)
        strange = min(positions.keys() - set(paired.values()), default=None)
        if strange is not None:
            fault, expected = f"a key without released record no. {positions[strange] + 1}", "every one"
            raise ParameterError("truth", fault, expected, remedy, cell=strange)
        answers = [paired[own] for own in ids]
    elif isinstance(truth, str) and truth == "ids":
        strange = min(positions.keys() - set(ids), default=None)
        if strange is not None:
            raise ParameterError(
                "truth",
                truth,
                f"ids that were kept; released record no. {positions[strange] + 1} has another",
                "name the release's key file",
                cell=strange,
            )
        answers = list(ids)
        places = np.array([positions.get(own, -1) for own in ids], dtype=np.int64)
        if resemblance(original, release, places) == "others":
            # an attack on ids that were dealt out anew would fail and look like safety
            raise ParameterError(
                "truth",
                truth,
                "ids that were kept; here records of one id do not resemble each other",
                "name the release's key file",
            )
    else:
        raise ParameterError("truth", truth, "a key, or 'ids' if the release kept the records' ids")
    return np.array([-1 if own is None else positions.get(own, -1) for own in answers], dtype=np.int64)


def _check_files(original: RatingTable, release: RatingTable, truth: Key) -> None:
    for fact, table, what in (
        ("input_sha256", original, "original"),
        ("release_sha256", release, "release"),
    ):
        said, is_ = truth.facts.get(fact), table.origin.sha256
        if said is not None and is_ is not None and said != is_:
            found, expected = f"a key of the {what} {str(said)[:12]}...", f"one of {table.origin.name}"
            raise ParameterError("truth", found, expected, "use the key that was written with this release")
