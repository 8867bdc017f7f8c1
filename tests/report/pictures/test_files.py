"""Pictures as files and as SVG in a page: the same bytes again, nothing from outside,
names made harmless.
"""

import errno
import json
import re
from pathlib import Path

import pytest
from markup_reading import Markup

from ratingpriv.base.errors import OutputError, ParameterError, ResourceError
from ratingpriv.report.pictures import draw, finding, kinds, svg, write_picture
from ratingpriv.report.pictures.canvas import plain


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_the_same_document_gives_the_same_bytes(results, documents, tmp_path, suffix):
    for name, made in (("one", results["audit"]), ("two", documents["audit"])):
        write_picture(made, tmp_path / f"{name}{suffix}", kind="sizes")
    first = (tmp_path / f"one{suffix}").read_bytes()
    assert first == (tmp_path / f"two{suffix}").read_bytes()
    assert first.startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[suffix])


def test_the_users_own_style_changes_nothing(document):
    import matplotlib as mpl

    plainly = svg(document("partition"))
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "text.usetex": False}):
        assert svg(document("partition")) == plainly


def test_what_is_refused(document, tmp_path):
    found = document("audit")
    (tmp_path / "old.svg").write_text("old")
    with pytest.raises(OutputError, match="exists"):
        write_picture(found, tmp_path / "old.svg")
    with pytest.raises(ParameterError, match=r"\.svg, \.png or \.pdf"):
        write_picture(found, tmp_path / "picture.jpeg")
    with pytest.raises(ParameterError, match="one of hamming, sizes, exposure, known"):
        draw(found, kind="pie")
    with pytest.raises(ParameterError, match=r"ratingpriv\.query/1"):
        draw({"schema": "ratingpriv.query/1"})
    with pytest.raises(ParameterError, match="a result"):
        draw(42)
    found["exposure"] = None
    with pytest.raises(ParameterError, match="it has no `exposure`"):
        draw(found, kind="exposure")
    assert kinds(found) == ("hamming", "sizes")
    assert kinds({"schema": "ratingpriv.query/1"}) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["old.svg"]


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_a_disk_that_fails_for_a_moment_is_said(document, tmp_path, monkeypatch, suffix):
    """Matplotlib, which would make another error of it, does not write to the disk."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ResourceError, match="No space left"):
        write_picture(document("audit"), tmp_path / f"picture{suffix}", kind="sizes")
    assert list(tmp_path.iterdir()) == []


HOSTILE = "<script>alert(1)</script> $\\frac{1}{$ & \x1b[31m\u202e\x00" + "x" * 500


def test_svg_for_a_page_of_data_with_hostile_names(documents):
    ids = []
    for document in documents.values():
        text = json.dumps(document)
        for one in ("_hidden", "a$b$", "pay$", "_$people$"):
            text = text.replace(json.dumps(one)[1:-1], json.dumps(HOSTILE)[1:-1])
        renamed = json.loads(text)
        for kind in kinds(renamed):
            drawn = svg(renamed, kind=kind)
            assert not re.search("<script|\x1b|\u202e|x{41}", drawn)
            assert len(drawn.encode()) <= 60_000, kind
            assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
            parsed = Markup(drawn)
            named = [value for name, value in parsed.attributes if name == "id"]
            links = [
                value for name, value in parsed.attributes if name in ("href", "xlink:href", "src")
            ]
            links += re.findall(r"url\((.*?)\)", " ".join(value for _, value in parsed.attributes))
            assert set(links) <= {f"#{one}" for one in named}
            assert not {"script", "style", "image", "foreignobject", "metadata"} & set(parsed.tags)
            assert parsed.tags.count("svg") == 1
            root = dict(parsed.attributes)
            assert root["role"] == "img"
            assert set(root["aria-labelledby"].split()) <= set(named)
            assert parsed.text.strip().startswith(finding(renamed, kind))
            assert "currentColor" in drawn
            ids += named
    assert len(ids) == len(set(ids))


def test_svg_beside_its_words_is_hidden(document):
    drawn = svg(document("partition"), alt=False, title=False)
    assert dict(Markup(drawn).attributes)["aria-hidden"] == "true"
    assert "title" not in Markup(drawn).tags
    assert "All 30 records" not in drawn


def test_long_data_stay_small(document):
    found = document("frontier")
    row = found["rows"][0]
    found["rows"] = [
        {**row, "epsilon": at / 100, "max_k": at, "singletons": 30 - at // 100}
        for at in range(1, 3001)
    ]
    found["complete"] = True
    assert len(svg(found)) <= 60_000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plain", "plain"), ("_hidden", "\u2009_hidden"), ("$x$", r"\$x\$"), ("a\nb", r"a\nb"),
        ("a" * 40, "a" * 31 + "…"),
    ],
)  # fmt: skip
def test_names(name, said):
    assert plain(name) == said


def test_empty_data_say_so(document, tmp_path):
    found = document("frontier")
    found["rows"] = []
    write_picture(found, tmp_path / "empty.svg")
    assert "nothing was measured" in (tmp_path / "empty.svg").read_text(encoding="utf-8")
    assert finding(found) == "Nothing was measured"
    partition = document("partition")
    partition.update(group_sizes=[], found=False, groups=0, withheld=30)
    assert "nothing was measured" in svg(partition)
