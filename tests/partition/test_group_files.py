"""Groups to a file."""

from pathlib import Path

import numpy as np
import pytest
from golden.tables import table2

from ratingpriv.base.errors import OutputError
from ratingpriv.partition.groups import Groups, write_groups

GROUPS = Groups.of_labels(np.array([0, 0, 1, 1, -1, -1]))


def test_one_row_a_record(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    write_groups(GROUPS, table2(), path)
    assert path.read_text(encoding="utf-8") == "record,group\nt1,0\nt2,0\nt3,1\nt4,1\nt5,\nt6,\n"


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match="exists"):
        write_groups(GROUPS, table2(), path)
    assert path.read_text(encoding="utf-8") == "mine"
