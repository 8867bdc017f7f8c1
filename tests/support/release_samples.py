"""Anonymised tables made by hand, for tests of what is written of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.anonymize import suppress, write_release
from ratingpriv.anonymize.result import Anonymized, AnonymizeParameters
from ratingpriv.data.formats.sources import Source
from ratingpriv.partition.distortion.measure import distortion_of

GONE = object()
FIVE = [0, 1, 2, 3, 4]
SURVEY = "user,q1,q2,age\nann,4,5,30\nbob,4,4,40\neve,4,5,50\njoe,3,4,60\nkim,3,5,30\nlou,4,,20\n"
"""Six answers; without lou (3,1)-anonymous."""


def survey(folder: Path, text: str = SURVEY, **options: Any) -> RatingTable:
    path = folder / "input.csv"
    path.write_text(text, encoding="utf-8")
    # else a row is a rating
    others = {} if "rating" in text.partition("\n")[0] else {"others": "rating"}
    options = {"sensitive": ["age"], "scale": (1, 5), **others, **options}
    return ratingpriv.read(
        path, **{"sensitive_scale": dict.fromkeys(options["sensitive"]), **options}
    )


def anonymized(
    original: RatingTable,
    kept: list[int] | None = None,
    *,
    k: int = 3,
    epsilon: float = 1,
    l: float | None = None,  # noqa: E741
    changed: RatingTable | None = None,
) -> Anonymized:
    """The records ``kept`` of ``original`` (or ``changed``), as a method would give them."""
    positions = np.arange(original.n_records) if kept is None else np.array(kept, dtype=np.int64)
    table = original.take(positions) if changed is None else changed
    return Anonymized(
        table=table,
        kept=positions,
        groups=None,
        method="suppress",
        parameters=AnonymizeParameters(k=k, epsilon=epsilon, l=l, seed=0),
        distortion=distortion_of(original, table, positions),
        optimal=False,
        statement="made by hand",
        audit=ratingpriv.audit(table, k=k, epsilon=epsilon, l=l),
    )


def released(
    folder: Path,
    text: str,
    name: str = "r.csv",
    *,
    k: int = 2,
    epsilon: float = 1,
    ids: str = "shuffle",
    layout: str | None = None,
    **reading: Any,
) -> Path:
    """Release a text as it is."""
    path = folder / "input.csv"
    path.write_text(text, encoding="utf-8")
    made = suppress(ratingpriv.read(path, **reading), k=k, epsilon=epsilon)
    return write_release(made, folder / name, ids=ids, rng=1, layout=layout).path


def manifest_of(release: Path) -> dict[str, Any]:
    return json.loads(
        release.with_name(release.name + ".manifest.json").read_text(encoding="utf-8")
    )


def edit(release: Path, /, *places: tuple[Any, ...], **changes: Any) -> Path:
    """Change the manifest: keys that lead to a place, then its value (GONE: none);
    or whole sections.
    """
    content = manifest_of(release)
    for *way, name, value in (*places, *changes.items()):
        inner = content
        for step in way:
            inner = inner[step]
        inner[name] = value
        if value is GONE:
            del inner[name]
    release.with_name(release.name + ".manifest.json").write_text(
        json.dumps(content), encoding="utf-8"
    )
    return release


def rehash(release: Path, **changes: Any) -> Path:
    """Make the manifest fit a file that was changed, as a forger would."""
    return edit(release, ("release", "sha256", Source(release).sha256()), **changes)


def whole_or_nothing(release: Path, before: bytes | None) -> str:
    """Say whether a killed writer left "the old" state or "the new"; fails if it is neither."""
    from ratingpriv.anonymize.release.verify import verify

    if not release.exists():
        assert before is None
        return "the old"
    if release.read_bytes() == before:
        # the new manifest is there for a moment, and is no manifest of this file
        assert verify(release).valid or "this is not the file" in verify(release).problems[0]
        return "the old"
    assert verify(release).valid
    return "the new"
