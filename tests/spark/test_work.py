"""Where a run works and writes: on this machine, or where Spark is; no Java."""

from pathlib import Path
from types import SimpleNamespace

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


def test_a_server_elsewhere_would_keep_what_it_wrote(tmp_path: Path) -> None:
    """Spark Connect: a path is refused, a URI says that the folder is there."""
    session = SimpleNamespace(conf=Conf(spark_master="local[4]"))  # the server's master
    with pytest.raises(ParameterError, match="name one with `work`"), folder_of_run(session, None):
        pytest.fail("nothing may run there")
    df = SimpleNamespace(sparkSession=session, inputFiles=list)
    for parameter in ("work", "per_record"):
        with pytest.raises(ParameterError, match=rf"{parameter}.*a path of this machine"):
            refuse_places(df, **{parameter: str(tmp_path / "made")})
        refuse_places(df, **{parameter: f"file://{tmp_path}/made"})
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
        (
            "ratingpriv.base.errors.ResourceError: rows were lost\n at x",
            ResourceError,
            "rows were lost",
        ),
        ("[USER_RAISED] ratingpriv refused: twice", ParameterError, "a second rating of an item"),
        ("Exception: [OUT_OF_DISK] SECRET", ResourceError, r"Spark: Theirs \(OUT_OF_DISK\)"),
    ],
)
def test_what_a_task_raises_is_said_in_our_words(
    text: str, error: type[Exception], said: str
) -> None:
    theirs = type("Theirs", (Exception,), {"__module__": "pyspark.errors"})
    with pytest.raises(error, match=said) as caught, failing():
        raise theirs(text)
    assert "SECRET" not in str(caught.value)
