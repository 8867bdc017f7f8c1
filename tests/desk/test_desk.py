"""The way over the desk, over the wire: counted, chosen, tried, released, drawn;
and what it never says.
"""

import dataclasses
import json
import os
import re
import shutil
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from desk_asking import open_desk

from ratingpriv.anonymize import verify
from ratingpriv.base.compute.resources import Resources
from ratingpriv.desk import release, write_shortcut
from ratingpriv.desk.jobs import CancelledError

pytestmark = pytest.mark.xdist_group("desk")  # one desk for all

ROWS = 36


def answers(row):
    """Three answers from 1 to 5, in few ways, and a sensitive one; a few are missing."""
    first = row * 7 % 5 + 1
    return [
        first,
        min(5, first + row % 2),
        "" if row % 19 == 7 else max(1, first - row % 3 // 2),
        row % 4 + 1,
    ]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A small survey, and its codebook."""
    file = tmp_path_factory.mktemp("survey") / "small.csv"
    lines = [",".join(map(str, [f"r{row:03}", *answers(row)])) for row in range(ROWS)]
    file.write_text("\n".join(["respondent,q1,q2,q3,pay", *lines, ""]), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def counted(survey):
    """The survey on the desk, counted; pay is sensitive."""
    with open_desk(survey) as asking:
        asking.post("/columns", {**asking.fields(), "role5": "sensitive"})
        asking.rest()
        assert asking.desk.jobs.last.state == "done", asking.desk.jobs.last.error
        yield asking


def heading(page):
    return " ".join(
        re.sub("<[^>]*>", "", re.search(r"<h2>.*?</h2>", page.text, re.DOTALL)[0]).split()
    )


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_slider_starts_at_what_is_recommended(counted):
    best = counted.desk.protection.recommended
    page = counted.get("/choose")
    assert best is not None
    assert f'name="k" min="2" max="{ROWS}" value="{best.k}"' in page.text
    assert "This is chosen." in page.words
    assert page.text.count('class="star"') > 1
    assert "recommended, k" in page.words


@pytest.mark.parametrize("face", ["found", "changed", "withheld"])
def test_a_cell_is_marked_only_where_people_are_hidden(counted, face):
    protection = counted.desk.protection
    for k, cells in protection.rows(protection.choice({"face": face})):
        for cell in cells:
            assert (cell.k, cell.shade == "pass") == (k, cell.passes)
            if cell.passes and face == "withheld":
                level = protection.level(
                    protection.choice({"k": str(k), "epsilon": str(cell.epsilon)})
                )
                assert level.distinct_left(k) / (ROWS - cell.count) <= 0.09
                assert cell.count <= 0.01 * ROWS
            elif cell.passes:
                tried = protection.tried(
                    protection.choice({"k": str(k), "epsilon": str(cell.epsilon)})
                )
                assert any(one.found.high <= 0.09 and one.left_out <= 0.01 * ROWS for one in tried)


def test_who_is_hidden_by_leaving_half_of_the_people_out_is_no_tick(counted, monkeypatch):
    protection = counted.desk.protection
    half = {"withheld": (ROWS // 2,) * 49, "distinct_left": (1,) * 49}
    levels = [
        dataclasses.replace(one, reserved=(), distance=dataclasses.replace(one.distance, **half))
        for one in protection.levels
    ]
    monkeypatch.setattr(protection, "levels", tuple(levels))
    shown = [
        cell
        for _, cells in protection.rows(protection.choice({"face": "withheld"}))
        for cell in cells
    ]
    assert not [cell for cell in shown if cell.passes]


def test_what_was_not_measured_or_every_release_leaves_open_is_no_tick(counted, monkeypatch):
    protection = counted.desk.protection
    best = protection.recommended.candidate
    assert protection.passes(best)
    assert not protection.passes(dataclasses.replace(best, query_error=None))
    assert not protection.passes(dataclasses.replace(best, reserved=("worthless",)))
    levels = tuple(dataclasses.replace(one, reserved=("an e-mail",)) for one in protection.levels)
    monkeypatch.setattr(protection, "levels", levels)
    assert not protection.passes(best)


def test_nothing_is_green_that_holds_and_hides_nobody(counted):
    """At the largest distance that protects everybody is alike: (2, ε) holds,
    and people are found.
    """
    epsilon = counted.desk.protection.levels[-1].epsilon
    page = counted.get(f"/choose/panel?k=2&epsilon={epsilon}")
    assert counted.desk.protection.levels[-1].standing_out(2) == 0
    assert 'class="say open"' in page.text
    assert "not enough against everybody" in page.words


def test_the_panel_answers_what_an_address_says_and_refuses_what_is_none(counted):
    assert "fewer than 5 people" in counted.get("/choose/panel?k=5&epsilon=1").words
    for bad in ("k=x", "epsilon=-1", "l=nan", "m=1e999", "k=²"):
        assert counted.get(f"/choose?{bad}").status == 422
    assert counted.get("/choose?k=999999&epsilon=99&m=9&face=boss").status == 200


def test_other_demands_are_counted_and_said(counted):
    page = counted.get("/choose/panel?k=2&epsilon=2&l=0.5&m=2")
    assert "vary by" in page.words
    assert "By k and ε alone" in page.words
    shown = counted.get("/release?k=2&epsilon=2&l=0.5&m=2")
    assert re.findall('name="method" value="([a-z]+)"', shown.text) == ["blank"]
    refused = counted.post("/release", {"k": "2", "epsilon": "2", "m": "2", "method": "swap"})
    assert (refused.status, "blank" in refused.words) == (422, True)


def test_each_way_is_tried_and_stands_in_the_table(counted):
    asked = {"k": "3", "epsilon": "1"}
    assert counted.post("/try", asked).headers["Location"].startswith("/choose?k=3&epsilon=1")
    counted.rest()
    page = counted.get("/choose?k=3&epsilon=1")
    assert "Try each way" not in page.words
    for way in ("Answers exchanged", "Answers changed", "Groups made equal", "People withheld"):
        assert way in page.words
    assert "pay guessed by the group" in page.words
    assert "by the commonest answer" in page.words


def test_a_release_is_made_verified_and_reported(counted, survey):
    best = counted.desk.protection.recommended
    asked = {
        "k": str(best.k),
        "epsilon": str(best.epsilon),
        "method": best.method,
        "accepted": "on",
    }
    query = f"k={best.k}&epsilon={best.epsilon}"
    counted.post("/release", asked)
    counted.rest()
    page = counted.get(f"/release?{query}")
    made = counted.desk.made
    assert counted.desk.jobs.last.state == "done", counted.desk.jobs.last.error
    assert (made.kind, made.valid, made.passes) == ("good", True, True), made.sentences
    assert "✓ Made, and verified from the written file." in heading(page)
    folder = survey.parent / "small.csv.release"
    assert left(folder) == ["release.csv", "release.csv.manifest.json", "report.html"]
    assert verify(folder / "release.csv").valid
    key = survey.parent / "small.csv.key.json"
    assert key.is_file()
    if os.name == "posix":
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for name, path in made.files.items():
        reply = counted.get(f"/file?name={name}")
        assert reply.body == path.read_bytes()
        assert reply.headers["Content-Disposition"] == f'attachment; filename="{path.name}"'
    assert counted.get("/file?name=key").status == 422
    secret = json.loads(key.read_text())
    assert secret["records_sha256"] not in page.text
    assert "r001" not in page.text
    # of another choice nothing is said to be made
    assert (
        "Its manifest" not in counted.get(f"/release?k={best.k + 1}&epsilon={best.epsilon}").words
    )


def test_a_second_release_replaces_nothing(counted, survey):
    before = {path: path.read_bytes() for path in survey.parent.rglob("*.*") if path.is_file()}
    counted.post("/release", {"k": "2", "epsilon": "2", "method": "suppress"})
    counted.rest()
    assert {path: path.read_bytes() for path in before} == before
    names = left(survey.parent)
    assert {"small.csv.release-2", "small.csv.key-2.json"} <= set(names)
    page = counted.get("/release?k=2&epsilon=2")
    assert 'class="say open"' in page.text
    assert "✓ Made" not in page.words


def test_missing_answers_are_a_reservation_until_somebody_accepts_it(counted):
    best = counted.desk.protection.recommended
    if best.method != "swap":
        best = next(
            one for one in counted.desk.protection.map.cells.values() if one.method == "swap"
        )
    asked = {"k": str(best.k), "epsilon": str(best.epsilon), "method": "swap"}
    counted.post("/release", asked)
    counted.rest()
    assert counted.desk.made.kind == "open"
    assert "reservation" in counted.get(f"/release?k={best.k}&epsilon={best.epsilon}").words


def test_an_invalid_file_is_red(counted):
    made = counted.desk.made
    counted.desk.made = dataclasses.replace(made, valid=False)
    page = counted.get(f"/release?k={made.choice.k}&epsilon={made.choice.epsilon}")
    counted.desk.made = made
    assert 'class="say bad"' in page.text


@pytest.mark.parametrize(
    ("success", "at_most", "kind"),
    [
        ({"rate": 0.05, "high": 0.08}, 0.5, "good"),
        ({"rate": 0.05, "high": 0.12}, 0.5, "open"),
        ({"rate": 0.05, "high": 0.12}, 0.09, "good"),
        ({"rate": None, "high": 1.0}, 0.5, "open"),
    ],
)
def test_green_is_what_few_enough_are_found_in(counted, success, at_most, kind):
    document = {"attack": {"success": success, "at_most": at_most}}
    made = release.Made(None, "swap", False, document, True, True, (), {}, Path())
    assert made.kind == kind


class Ending:
    """A job that is cancelled at a report: by its number, or by what is reported."""

    def __init__(self, at):
        self.at, self.count = at, 0
        self.resources = Resources(progress=self.report)

    def report(self, what, done, total):
        self.count += 1
        if self.at in (self.count, what):
            raise CancelledError

    def step(self, what):
        self.report(what, 0, None)


def cancelled(desk, folder, at):
    """Make a release that is cancelled; nothing is left of it."""
    before, made, job = left(folder), desk.made, Ending(at)
    choice = desk.protection.choice({"k": "2", "epsilon": "2"})
    with pytest.raises(CancelledError):
        release.make(
            desk.protection.table, desk.columns, choice, "suppress", accepted=False, job=job
        )
    assert (left(folder), desk.made) == (before, made)


@pytest.mark.parametrize("at", [2, "verifying the written file"])
def test_what_was_begun_is_removed_where_it_is_cancelled(counted, survey, at):
    cancelled(counted.desk, survey.parent, at)


@pytest.mark.deep
def test_cancel_at_twenty_moments(counted, survey):
    desk, job, before = counted.desk, Ending(0), left(survey.parent)
    choice = desk.protection.choice({"k": "2", "epsilon": "2"})
    release.make(desk.protection.table, desk.columns, choice, "suppress", accepted=False, job=job)
    for path in set(left(survey.parent)) - set(before):
        found = survey.parent / path
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    rng = np.random.default_rng(0)
    for at in [*rng.integers(1, job.count, 18).tolist(), job.count - 1, job.count]:
        cancelled(desk, survey.parent, at)


def test_where_nobody_can_hide_it_is_said(counted, monkeypatch):
    protection = counted.desk.protection
    monkeypatch.setattr(protection, "map", None)
    assert "Nobody can hide here" not in counted.get("/choose").words
    alone = [
        dataclasses.replace(one, distance=dataclasses.replace(one.distance, withheld=(ROWS,) * 49))
        for one in protection.levels
    ]
    monkeypatch.setattr(protection, "levels", tuple(alone))
    page = counted.get("/choose?k=2&epsilon=0")
    assert "Nobody can hide here" in page.words
    assert "This was not tried." in page.words


def test_one_thing_at_a_time_and_cancel(counted):
    go = threading.Event()

    def work(job):
        while not go.wait(0.01):
            job.step("waiting")

    job = counted.desk.jobs.start("Waiting", work)
    assert json.loads(counted.get("/job").body)["state"] == "running"
    for path in ("/columns", "/choose", "/release", "/graph"):
        assert "Cancel" in counted.get(path).words
    assert counted.post("/try", {"k": "7", "epsilon": "0"}).status == 422
    assert counted.post("/cancel").status == 303
    assert job.ended.wait(10)
    assert json.loads(counted.get("/job").body)["state"] == "cancelled"
    assert "was cancelled" in counted.get("/choose").words


def test_a_fault_in_a_job_is_said_without_what_it_was(counted, capsys):
    def work(job):
        raise RuntimeError("cell 4711")

    counted.desk.jobs.start("Failing", work).ended.wait(10)
    page = counted.get("/choose")
    assert "fault of ratingpriv" in page.words
    assert "4711" not in page.text
    assert "RuntimeError" in capsys.readouterr().err


def test_neighbours_are_drawn_without_ids_and_lead_on(counted):
    asked = "k=30&epsilon=1"
    assert counted.get(f"/graph?{asked}").status == 303
    counted.rest()
    page = counted.get(f"/graph?{asked}")
    assert "<svg" in page.text
    assert "MATCH" in page.text
    assert not re.search(r"\br0\d\d\b", page.text)
    picture = re.search('data-picture="([0-9]+)"', page.text)[1]
    node = re.search('class="node" data-key="([^"]+)"', page.text)[1]
    near = f"/graph?{asked}&query=browse%2Frecord-and-near&node={picture}.{node}"
    assert counted.get(near).status == 303
    counted.rest()
    shown = counted.get(near)
    assert "One person, and everybody" in shown.words
    assert not re.search(r"\br0\d\d\b", shown.text)
    for bad in ("query=browse/mark", "query=match+(n)", "query=browse%2Frecord-and-near&node=r001"):
        assert counted.get(f"/graph?{asked}&{bad}").status == 422


def test_groups_in_which_everybody_is_near_everybody_are_drawn(counted):
    asked = "k=3&epsilon=1&query=browse%2Fcliques"
    assert counted.get(f"/graph?{asked}").status == 303
    counted.rest()
    assert counted.desk.jobs.last.state == "done", counted.desk.jobs.last.error
    page = counted.get(f"/graph?{asked}")
    assert "$run" in page.text
    sizes = [int(one) for one in re.findall(r">(\d+)</text>", page.text)]
    assert min(sizes) >= 3
    assert sum(sizes) <= ROWS


def test_no_id_and_no_cell_is_on_any_other_page(counted):
    for path in ("/columns", "/choose?k=3&epsilon=1", "/release?k=3&epsilon=1", "/job", "/link"):
        text = counted.get(path).text
        assert not re.search(r"\br0\d\d\b", text)
        assert "\\n" not in text  # a line end within a text of a template


def test_no_place_of_the_machine_is_on_a_page(counted, survey):
    for path in (
        "/columns",
        "/choose?k=3&epsilon=1",
        "/release?k=2&epsilon=2",
        "/graph?k=30&epsilon=1",
    ):
        assert str(survey.parent) not in counted.get(path).text


@pytest.mark.parametrize(
    ("platform", "name", "said"),
    [("win32", "ratingpriv desk.cmd", '"C:\\a b\\100%%\\python.exe" -m ratingpriv desk %*'),
     ("darwin", "ratingpriv desk.command", "exec 'C:\\a b\\100%\\python.exe' -m ratingpriv desk"),
     ("linux", "ratingpriv-desk.desktop",
     'Exec="C:\\\\a b\\\\100%%\\\\python.exe" -m ratingpriv desk %f')],
)  # fmt: skip
def test_a_shortcut_starts_it(tmp_path, platform, name, said):
    path = write_shortcut(tmp_path, platform=platform, python="C:\\a b\\100%\\python.exe")
    assert path.name == name
    assert said in path.read_text()
