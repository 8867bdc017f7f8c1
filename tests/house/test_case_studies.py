"""The numbers of docs/case-studies are what their commands give on the real data.

``make case-studies`` runs this; ``make test`` does not, as it takes minutes. In a case study a
``console`` or ``pycon`` block finds the data under the names of their folders in
``RATINGPRIV_TEST_DATA``.
"""

import os

import pytest
from house.test_docs import CASES, folder, name_of, run_page, warm

__all__ = ["folder", "warm"]

pytestmark = pytest.mark.skipif(
    "RATINGPRIV_CASE_STUDIES" not in os.environ,
    reason="make case-studies runs these; they take minutes",
)


@pytest.mark.parametrize("page", CASES, ids=name_of)
def test_the_numbers_are_what_the_commands_give(page, folder, test_data, warm):
    for data in test_data.iterdir():
        (folder / data.name).symlink_to(data)
    differing = run_page(page, folder, warm)
    assert not differing, differing


def test_there_are_case_studies():
    assert len(CASES) >= 3
