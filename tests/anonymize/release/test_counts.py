"""What a release says of its own amounts, counted by hand."""

from __future__ import annotations

import dataclasses

from release_samples import anonymized, survey

from ratingpriv.anonymize.release.writing import write_release

CHANGED = "user,q1,q2,age\nann,4,5,30\nbob,4,,40\neve,4,5,50\njoe,2,4,60\nkim,3,5,30\n"


def test_amounts(tmp_path):
    """Six records; lou (one rating) is left out, bob's q2 suppressed, joe's q1 changed by 1."""
    original = survey(tmp_path)
    (tmp_path / "other").mkdir()
    changed = survey(tmp_path / "other", CHANGED)
    made = anonymized(original, [0, 1, 2, 3, 4], k=1, changed=changed)
    release = write_release(made, tmp_path / "r.csv", original=original)
    content = release.to_dict()
    assert content["equal"] == dataclasses.asdict(release.audit.equal)
    assert content["records"] == {"original": 6, "released": 5, "touched": 2, "withheld": 1}
    assert content["cells"] == {"total": 12, "rated": 11, "changed": 1, "filled": 0, "erased": 1}
    assert content["distortion"] == 1 + 4
    assert content["shares"] == {"changed": 1 / 11, "filled": 0.0, "erased": 1 / 11, "withheld": 1 / 11}
    assert made.distortion.cells_touched == 2
