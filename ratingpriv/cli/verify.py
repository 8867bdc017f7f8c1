"""``ratingpriv verify``: whether a release is what its manifest claims."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.base.numbers import in_full
from ratingpriv.cli import options
from ratingpriv.cli.options.values import DATA, RULES, file_argument, group, option, reads, scale
from ratingpriv.cli.output.reporter import progress_bars
from ratingpriv.cli.output.step import end_of_trial

_data, _rule = (partial(option, panel=panel) for panel in (DATA, RULES))


@group
class _Receiver:
    sensitive: tuple[str, ...] = option("A sensitive item, to your demand.")
    no_sensitive: bool = option("No item is sensitive, to your demand.")
    quasi: tuple[str, ...] = option("Of your demand: equal, or within W.", metavar="NAME[=W]")
    carry: tuple[str, ...] = option("An unaudited column that you accept.")
    codebook: str | None = reads("What the columns are, to your demand, in TOML.")
    scale: tuple[float, float] | None = _data(
        "Your demand's rating scale; else as read.", parser=scale
    )
    layout: Literal["long", "wide"] | None = _data("One row per rating or record, if unclear.")
    id: str | None = _data("Column of record ids, if its name does not show it.", metavar="COL")
    issue: str | None = _data("Column of items (long), likewise.", metavar="COL")
    rating: str | None = _data("Column of ratings (long), likewise.", metavar="COL")
    nulls: Literal["strict", "wildcard"] | None = _rule(
        "Your rule for missing ratings; else strict."
    )
    sensitive_nulls: Literal["paper", "ignore"] | None = option(
        "Likewise for sensitive ones; else paper."
    )

    @property
    def words(self) -> dict[str, Any]:
        """What was said, as the library takes it."""
        if self.no_sensitive and self.sensitive:
            raise ParameterError("no-sensitive", "with --sensitive", "one of the two")
        options = dataclasses.asdict(self)
        options["sensitive"] = () if options.pop("no_sensitive") else self.sensitive or None
        return {**options, "quasi": self.quasi or None}


@group
class _Demand:
    k: int | None = option("Require at least this k.", metavar="K", min=1)
    epsilon: float | None = option("Require it at this rating distance; else as claimed.")
    l: float | None = option("Require at least this standard deviation.", metavar="L")
    known: int | None = option("Require it of any M known ratings, not of all.", metavar="M", min=1)


@group
class _Publisher:
    original: str | None = reads("Publisher: the data, to count groups of swap again.")
    key: str | None = reads("Publisher: the release's key, for --original.")


@together()
def run(
    *,
    release: str = file_argument("The file, beside RELEASE.manifest.json.", ..., metavar="RELEASE"),
    demand: _Demand,
    public_key: str | None = reads(
        "Require that the manifest is signed by this Ed25519 public key (PEM)."
    ),
    publisher: _Publisher,
    accept: tuple[str, ...] = options.ACCEPT,
    results: options.Gated,
    receiver: _Receiver,
    limits: options.Resources,
) -> int:
    """Verify a release against its manifest, anew from its file.

    Anybody can: it needs RELEASE and RELEASE.manifest.json, nothing else. --k, --epsilon and --l
    require what you need, whatever the manifest claims, counted by your rules: where the manifest
    names sensitive items, say --sensitive or --no-sensitive. --public-key requires the publisher's
    signature. ε is a distance between ratings, not a differential-privacy budget.

    Exits with 0 if valid; 1 if the file or the manifest was changed, is not as anonymous as
    claimed, or does not meet your requirements, or with a reservation; 2 if either cannot be read,
    or an option has to say how.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 2 --method suppress -o r.csv
    ratingpriv verify r.csv
    ratingpriv verify r.csv --k 5 --epsilon 1 --sensitive pay
    """
    from ratingpriv.anonymize.release.verify import verify

    results.check()
    demands = {"k": demand.k, "epsilon": demand.epsilon, "l": demand.l, "m": demand.known}
    asked = {
        **demands,
        **receiver.words,
        "public_key": public_key,
        "accept": accept,
        **limits.resources,
    }
    asked |= dataclasses.asdict(publisher)
    end_of_trial()
    with progress_bars() as progress:
        result = verify(release, **asked, progress=progress)
    demanded = [f"{name}={in_full(value)}" for name, value in demands.items() if value is not None]
    return results.deliver(
        result, data=release, verdict=", ".join(["as the manifest claims", *demanded])
    )
