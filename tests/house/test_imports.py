"""Who may import whom (the contracts stand in pyproject.toml), and what importing costs."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from house.checkout import PACKAGES, ROOT, environment, modules
from house.figures import ROOMS, arrows, circles, import_graph

HEAVY = {
    "numba", "llvmlite", "scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib",
    "networkx",
    "neo4j", "grafeo",
}  # fmt: skip


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "lint-imports"
    search = os.pathsep.join([str(folder), str(folder / "loaders")])
    return subprocess.run(
        [sys.executable, program, "--no-logo", "--no-cache"],
        cwd=folder,
        env=environment(PYTHONPATH=search),
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_import_goes_the_allowed_way():
    answer = lint_imports(ROOT)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("ratingpriv/data/table/table.py", "ratingpriv.data.formats.reading"),
        ("ratingpriv/base/errors.py", "ratingpriv.data.table"),
        ("ratingpriv/proximity/hamming.py", "ratingpriv.audit"),
        ("ratingpriv/data/formats/reading.py", "ratingpriv_loaders"),
        ("loaders/ratingpriv_loaders/__init__.py", "ratingpriv.cli"),
        ("loaders/ratingpriv_loaders/__init__.py", "ratingpriv.audit"),
    ],
)
def test_an_import_the_wrong_way_is_found(tmp_path, importer, imported):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in PACKAGES.values():
        shutil.copytree(
            folder,
            tmp_path / folder.relative_to(ROOT),
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    with (tmp_path / importer).open("a", encoding="utf-8") as file:
        file.write(f"\nimport {imported}\n")
    answer = lint_imports(tmp_path)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "BROKEN" in answer.stdout


@pytest.mark.parametrize(
    "code",
    [
        "import ratingpriv",
        "import ratingpriv.cli",
        "import contextlib, ratingpriv.cli\n"
        "import sys; sys.argv = ['ratingpriv', '--help']\n"
        "with contextlib.suppress(SystemExit): ratingpriv.cli.main()",
    ],
    ids=["library", "command line", "help"],
)
def test_starting_loads_nothing_heavy(code):
    ask = f"{code}\nimport sys; print('loaded:', *sorted({HEAVY!r} & set(sys.modules)))"
    answer = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.splitlines()[-1].split() == ["loaded:"]


def test_a_text_file_is_audited_without_pandas():
    """Pyarrow's ways from and to NumPy import it wherever it is installed: a fifth of a second."""
    asked = ["ratingpriv", "audit", "examples/survey.csv", "--k", "5", "--epsilon", "1", "--quiet"]
    run = f"import sys; sys.argv = {asked}\nimport contextlib, ratingpriv.cli\n"
    run += (
        "with contextlib.suppress(SystemExit): ratingpriv.cli.main()\nprint('pandas' in "
        "sys.modules)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", run],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "SATISFIED" in answer.stdout
    assert answer.stdout.splitlines()[-1] == "False"


def house():
    return import_graph(
        {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules().items()}
    )


def test_rooms_stand_in_their_order_and_have_few_arrows():
    runs = arrows(house())
    assert {room for run in runs for room in run} == set(ROOMS)
    assert len(ROOMS) <= 15
    assert len(runs) <= 84  # of the desk alone 9, which brings the rooms together for people
    assert [run for run in runs if ROOMS.index(run[0]) < ROOMS.index(run[1])] == []


def test_no_module_imports_itself_by_way_of_others():
    assert circles(house()) == []


@pytest.mark.parametrize(
    "back",
    ["load('r.a').run()", "if TYPE_CHECKING:\n    from r.a import d", "def f():\n    import r.a"],
)
def test_a_circle_is_found_by_whatever_closes_it(back):
    trees = {"r.a": ast.parse("from r.b import c"), "r.b": ast.parse(back)}
    assert circles(import_graph(trees)) == [["r.a", "r.b"]]


def test_tests_import_what_modules_offer():
    """A name with an underscore is its module's own; kernels are modules that are called so."""
    kernels = {name for name in modules() if name.rpartition(".")[2].startswith("_")}
    own = [
        f"{path.name}: {node.module}.{alias.name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ratingpriv")
        for alias in node.names
        if alias.name.startswith("_") and f"{node.module}.{alias.name}" not in kernels
    ]
    assert own == []
