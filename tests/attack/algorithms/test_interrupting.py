"""An attack ends soon after Ctrl-C: no kernel call is long, and no further one is begun."""

from __future__ import annotations

import numpy as np
import pytest
from attack.attack_tables import auxiliary, dated_table

from ratingpriv.attack import scoreboard_rh
from ratingpriv.attack.algorithms import driver
from ratingpriv.base.compute.resources import Resources


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_the_attack(monkeypatch, threads):
    records = [{0: (3, 12_000), 1: (r % 5 + 1, 12_001)} for r in range(50)]
    aux = auxiliary(records, range(50))
    monkeypatch.setattr(driver, "_PIECE", 1)
    seen = []

    def progress(what, done, total):
        seen.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scoreboard_rh(dated_table(records), aux, resources=Resources(threads, progress=progress))
    assert len(seen) == 1


def test_pieces_are_small_and_cover_every_target(monkeypatch):
    records = [{0: (3, 12_000), 1: (r % 5 + 1, 12_001)} for r in range(50)]
    aux = auxiliary(records, range(50))
    whole = scoreboard_rh(dated_table(records), aux, resources=Resources(1))
    pieces = []
    original = driver.Run.__call__

    def watched(self, tasks):
        pieces.extend(units for units, _ in tasks)
        original(self, tasks)

    monkeypatch.setattr(driver.Run, "__call__", watched)
    monkeypatch.setattr(driver, "_PIECE", 900)  # a target reads 100 entries and costs 200 more
    parts = scoreboard_rh(dated_table(records), aux, resources=Resources(1))
    assert pieces == [3] * 16 + [2]
    assert np.array_equal(whole.best, parts.best)
    assert np.array_equal(whole.shannon_bits, parts.shannon_bits)
