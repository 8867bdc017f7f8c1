"""Where a run works and writes: on this machine, or where Spark is; no Java."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ratingpriv.base.errors import OutputError, ParameterError, ResourceError
from ratingpriv.spark.session import failing, partitions
from ratingpriv.spark.work import folder_of_run, refuse_places


class Conf:
    """Settings of a session."""

    def __init__(self, **settings: str) -> None:
        self.settings = {name.replace("_", "."): value for name, value in settings.items()}

    def get(self, name: str, default: str | None = None) -> str | None:
        return self.settings.get(name, default)


class Connected:
    """A session of Spark Connect, on a server that has the folders of this machine, or has not."""

    def __init__(self, *, shared: bool) -> None:
        self.shared, self.read = shared, self
        self.conf = Conf(spark_master="local[4]")  # of the server
        self.asked: list[Path] = []

    def text(self, place: str) -> Any:
        self.asked.append(Path(place.removeprefix("file://")))
        there = self.shared and self.asked[-1].is_file()
        return SimpleNamespace(count=lambda: int(there))


@pytest.mark.parametrize("named", [False, True])
def test_a_server_elsewhere_would_keep_what_it_wrote(tmp_path: Path, named: bool) -> None:
    work = str(tmp_path / "work") if named else None
    session = Connected(shared=False)
    with pytest.raises(ParameterError, match=r"work.*this machine alone"), folder_of_run(session, work):
        pytest.fail("nothing may run there")
    assert len(session.asked) == 1
    assert not [*tmp_path.iterdir()]
    session = Connected(shared=True)
    with folder_of_run(session, work) as folder:
        assert [*Path(folder.removeprefix("file://")).iterdir()] == []
    assert not [*tmp_path.iterdir()]


def test_nor_would_what_it_writes_get_its_name(tmp_path: Path) -> None:
    df = SimpleNamespace(sparkSession=Connected(shared=False), inputFiles=list)
    with pytest.raises(ParameterError, match=r"per_record.*this machine alone"):
        refuse_places(df, work=None, per_record=str(tmp_path / "risk"))
    df.sparkSession = Connected(shared=True)
    refuse_places(df, work=None, per_record=str(tmp_path / "risk"))
    assert not [*tmp_path.iterdir()]


def test_a_folder_whose_name_is_a_pattern(tmp_path: Path) -> None:
    session = SimpleNamespace(_jsparkSession=object(), conf=Conf(spark_master="local[1]"))
    with (
        pytest.raises(OutputError, match="a pattern to Spark"),
        folder_of_run(session, str(tmp_path / "a[1]")),
    ):
        pytest.fail("Spark could not read there what it wrote")
    with folder_of_run(session, str(tmp_path / "a b")) as folder:
        assert folder.startswith(f"file://{tmp_path}/a b/ratingpriv-run-")


@pytest.mark.parametrize(("said", "parts"), [("7", 7), ("auto", 200)])
def test_into_how_many_parts_shuffles_go(said: str, parts: int) -> None:
    session = SimpleNamespace(conf=SimpleNamespace(get=lambda name, default: said))
    assert partitions(session) == parts


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("ratingpriv.base.errors.ResourceError: rows were lost\n at x", ResourceError, "rows were lost"),
        ("[USER_RAISED] ratingpriv refused: twice", ParameterError, "a second rating of an issue"),
        ("Exception: [OUT_OF_DISK] SECRET", ResourceError, r"Spark: Theirs \(OUT_OF_DISK\)"),
    ],
)
def test_what_a_task_raises_is_said_in_our_words(text: str, error: type[Exception], said: str) -> None:
    theirs = type("Theirs", (Exception,), {"__module__": "pyspark.errors"})
    with pytest.raises(error, match=said) as caught, failing():
        raise theirs(text)
    assert "SECRET" not in str(caught.value)
