"""The examples in the documentation do what the documentation says.

In every page a ``console`` block is run (``$ command``; the lines below are what it prints, ``...``
stands for any text) and a ``pycon`` block is a doctest. They run in a copy of ``examples/``, the
blocks of a page one after the other. ``<!-- not run: reason -->`` on the line above a block leaves
it out.

Links, repository paths, queries and dotted names of the packages that a page names have to be
there.
"""

import doctest
import pkgutil
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass

import pytest
from house.checkout import ROOT, environment, files
from json_contracts import hold_to_its_schema
from warm import Warm, plain

from ratingpriv.base.cautions import CODES
from ratingpriv.base.reservations import RESERVATIONS
from ratingpriv.graph.queries import list_queries

WRITTEN = sorted((ROOT / "docs").rglob("*.md"))
CASES = [page for page in WRITTEN if page.parent.name == "case-studies"]
"""What needs real data: ``make case-studies`` runs their blocks."""
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in WRITTEN if page not in CASES),
]
ALL_PAGES = [
    *CASES,
    *PAGES,
    ROOT / "SECURITY.md",
    *(
        path
        for room in ("benchmarks", "docker", "examples")
        for path in sorted((ROOT / room).glob("*.md"))
    ),
]
FENCE = re.compile(
    r"^(?P<note><!--.*-->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
PROGRESS = re.compile(r"^ratingpriv: (?!error|warning|cells).*\n", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def name_of(page):
    """Return a page's place in the checkout."""
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    line: int


def blocks(text):
    for match in FENCE.finditer(text):
        if "not run:" not in (match["note"] or ""):
            yield Block(
                match["language"], match["text"], text.count("\n", 0, match.start("text")) + 1
            )


def run_console(block, folder, page, warm=None):
    """Run a console block; return how its output differs from what the page says,
    or an empty string.
    """
    code = 0
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = command[:-1] + more.removeprefix(">").strip()
        if command == "echo $?":
            printed = f"{code}\n"
        elif (arguments := plain(command)) is not None:
            printed, code = warm.ask(str(folder), arguments)
        else:
            answer = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=folder,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            printed, code = answer.stdout, answer.returncode
        hold_to_its_schema(printed)
        # what was read and what is going on: pages need not show that
        if not PROGRESS.search(expected):
            printed = PROGRESS.sub("", printed)
        if not doctest.OutputChecker().check_output(expected, printed, FLAGS):
            where = f"{page}, line {block.line}: {command}"
            return f"{where}\n--- the page says\n{expected}--- it printed\n{printed}"
    return ""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Give a copy of the examples, the current folder."""
    monkeypatch.chdir(shutil.copytree(ROOT / "examples", tmp_path / "examples"))
    return tmp_path / "examples"


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """Give a process that runs the commands of all pages."""
    program = ROOT / "tests" / "support" / "warm.py"
    with Warm(
        [str(program), str(tmp_path_factory.mktemp("warm") / "printed")], environment()
    ) as process:
        yield process


def run_page(page, folder, warm):
    """Run the blocks of a page; return what differs from what it says."""
    names, failures = {}, []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "console":
            failures.append(run_console(block, folder, page.name, warm))
        elif block.language == "pycon":
            test = doctest.DocTestParser().get_doctest(
                block.text, names, page.name, str(page), block.line
            )
            report = []
            doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
            names = test.globs
            failures.append("".join(report))
    return "\n".join(filter(None, failures))


@pytest.mark.documentation
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_do_what_the_page_says(page, folder, request):
    warm = (
        request.getfixturevalue("warm")
        if "$ ratingpriv " in page.read_text(encoding="utf-8")
        else None
    )
    failures = run_page(page, folder, warm)
    assert not failures, failures


def anchors(text):
    """Return the anchors that GitHub and the site give to the headings of a page."""
    found = set()
    for heading in re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M
    ):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        found.add(slug if slug not in found else f"{slug}-1")
    return found


def broken_links(page):
    """Yield the links of a page that lead nowhere: no file, no such heading, no address."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if "://" in link:
            if not re.fullmatch(r"https://[\w.-]+\.[a-z]+(/\S*)?", link):
                yield link
            continue
        there = page.parent / target if target else page
        if not there.exists() or (
            anchor
            and there.suffix == ".md"
            and anchor not in anchors(there.read_text(encoding="utf-8"))
        ):
            yield link


@pytest.mark.parametrize("page", ALL_PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert not list(broken_links(page))


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` (c), d\n\n[1](#a-b-c-d) [2](#a) [3](page.md#a-b-c-d) [4](gone.md) [5](http://x) "
        "[6](https://x.org)\n"
    )
    assert list(broken_links(page)) == ["#a", "gone.md", "http://x"]


def test_every_page_is_in_the_contents():
    linked = {
        (index.parent / target).resolve()
        for index in WRITTEN
        if index.name == "index.md"
        for target in re.findall(r"\]\(([^)#\s:]+\.md)\)", index.read_text(encoding="utf-8"))
    }
    assert [page for page in WRITTEN if page.name != "index.md" and page not in linked] == []


ROOMS = sorted({path.relative_to(ROOT).parts[0] for path in files() if path.parent != ROOT})
PATH = re.compile(rf"(?<![\w./:-])(?:{'|'.join(map(re.escape, ROOMS))})/[\w./-]*")
QUERY = re.compile(r"(?:anonymize|audit|browse|partition|utility)/[a-z][a-z/-]*")
DOTTED = re.compile(r"(?<![\w./:-])ratingpriv(?:_loaders)?(?:\.[A-Za-z_]\w*)+(?![\w/-])")


def gone(text):
    """List what ``text`` names that is not here: paths and queries in backquotes,
    dotted names anywhere.
    """
    entry_points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "entry-points"
    ]
    quoted = re.findall(r"`([^`\n]+)`", text)
    for path in (path for one in quoted for path in PATH.findall(one)):
        if "NAME" not in path and not (ROOT / path.rstrip(".")).exists():
            yield path
    yield from sorted(
        {*filter(QUERY.fullmatch, quoted)} - {one.id for one in list_queries(everything=True)}
    )
    for name in sorted(set(DOTTED.findall(text)) - set(entry_points)):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            yield name


@pytest.mark.parametrize("page", ALL_PAGES, ids=name_of)
def test_paths_and_names_lead_somewhere_and_no_example_escapes_by_standing_in_a_list(page):
    text = page.read_text(encoding="utf-8")
    assert not list(gone(text))
    assert not re.findall(r"^[ \t]+```(?:console|pycon)$", text, re.MULTILINE)


def test_what_is_gone_is_found():
    here = "`ratingpriv/data/table/`, `docs/json.md`, `browse/alone`, ratingpriv.attack.draw"
    names = (
        "`embedded:ratingpriv.grafeo`, `ratingpriv.loaders`, `ratingpriv.read(x)`, "
        "`ratingpriv.audit/1`"
    )
    assert not list(gone(f"{here}, {names}"))
    missing = [
        "ratingpriv/data/table.py", "browse/nothing", "ratingpriv.graph.iterating",
        "ratingpriv.nothing",
    ]  # fmt: skip
    assert list(gone("`{}` `{}` {}. `{}`".format(*missing))) == missing


def test_the_json_page_has_every_caution():
    """Those of reservations are on the page of exit codes (test_cautions)."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.partition("\n### Cautions\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \|$", section, re.MULTILINE)
    assert dict(rows) == {code: said for code, said in CODES.items() if code not in RESERVATIONS}
    assert len(rows) == len(dict(rows))


def test_the_glossary_has_every_word_once_and_in_order():
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\*\*(.+?)\.\*\*", glossary, re.MULTILINE)
    plain = [re.sub(r"[^a-z ]", "", term.replace("ε", "e").lower()) for term in terms]
    assert plain == sorted(set(plain))


def test_a_wrong_example_is_found(tmp_path):
    assert run_console(Block("console", "$ echo 3\n4\n", 1), tmp_path, "page")
    assert run_console(Block("console", "$ false\n$ echo $?\n0\n", 1), tmp_path, "page")
    assert not run_console(
        Block("console", "$ echo 1 2 \\\n>   3\n1 ... 3\n$ echo $?\n0\n", 1), tmp_path, "page"
    )


def test_blocks_are_found():
    left_out = "<!-- not run: needs a server -->\n```console\n$ b\n```\n"
    text = f"```console\n$ a\n```\n\n{left_out}\n```pycon\n>>> 1\n1\n```\n"
    assert [block.text for block in blocks(text)] == ["$ a\n", ">>> 1\n1\n"]
