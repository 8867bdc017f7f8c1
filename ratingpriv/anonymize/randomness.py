"""Where a method's random numbers come from, and who is told: a given seed is repeated, no other is."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np

from ratingpriv.base import checks


@dataclass(frozen=True, slots=True)
class Randomness:
    """The random numbers of one release.

    Attributes
    ----------
    rng : the generator
    seed : the seed that was given, which manifests tell; None where there was none, or a Generator
    secret : the seed from the operating system where none was given; for the private key alone
    """

    rng: np.random.Generator
    seed: int | None
    secret: int | None

    @classmethod
    def of(cls, rng: int | np.random.Generator | None) -> Randomness:
        """Return the random numbers of a seed, of a Generator, or, without either, of a secret seed."""
        given = rng is not None and not isinstance(rng, np.random.Generator)
        seed = checks.seed(rng) if given else None
        secret = secrets.randbits(128) if rng is None else None
        return cls(checks.generator(rng if secret is None else secret), seed, secret)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a publisher should know of a seed that was given."""
        if self.seed is None:
            return ()
        return (
            f"the changes come from the seed {self.seed}, which the manifest tells: whoever has the original "
            "can make them again and see what became of whom; leave it out unless you need the same changes "
            "twice",
        )
