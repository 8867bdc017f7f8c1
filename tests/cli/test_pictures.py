"""``--plot`` and ``--set plot-kind``, of every command that has a picture."""

import json

import pytest

from ratingpriv.report.pictures import svg, write_picture

RATED = ("--sensitive", "issue 4", "--scale", "1:7")
ANONYMIZE = ("--k", 2, "--epsilon", 1, "--method", "suppress", "-o")


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        (("audit", "--k", 2, "--epsilon", 1), None, "Every record has at least 2 records"),
        (
            ("audit", "--k", 2, "--epsilon", 1, "--exposure", 1),
            None,
            "Knowledge that is off by up to 1",
        ),
        (("partition", "--k", 2, "--epsilon", 3), None, "All 6 records are in"),
        (
            ("recommend", "--found-at-most", 0.5, "--method", "suppress"),
            "suppression",
            "suppressed record",
        ),
    ],
)
def test_the_picture_is_that_of_the_json(cli, table_file, tmp_path, asked, kind, said):
    command, *rest = asked
    named = () if kind is None else ("--set", f"plot-kind={kind}")
    ended = cli(
        command, table_file(2), *RATED, *rest, "--json", "--plot", tmp_path / "p.svg", *named
    )
    assert ended.exit_code in (0, 1), ended.stderr
    assert f"wrote {tmp_path / 'p.svg'}" in ended.stderr
    document = json.loads(ended.stdout)
    write_picture(document, tmp_path / "again.svg", kind=kind)
    drawn = (tmp_path / "p.svg").read_bytes()
    assert drawn == (tmp_path / "again.svg").read_bytes()
    assert said in " ".join(svg(document, kind=kind).split())


def test_a_release_and_its_utility(cli, table_file, tmp_path):
    data, release = table_file(2), tmp_path / "r.csv"
    ended = cli(
        "anonymize", data, *RATED, *ANONYMIZE, release, "--keep-ids", "--plot", tmp_path / "a.png"
    )
    assert ended.exit_code == 1, ended.stderr  # too small a release not to have reservations
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    asked = ("utility", data, release, *RATED, "--truth", "ids", "--measure", "information_loss")
    ended = cli(*asked, "--plot", tmp_path / "u.pdf", "--set", "plot-kind=loss")
    assert ended.exit_code == 0, ended.stderr
    assert (tmp_path / "u.pdf").read_bytes().startswith(b"%PDF")
