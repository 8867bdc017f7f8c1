"""The wheel: what is in it, and that it works where there is no checkout."""

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from house.checkout import PACKAGES, ROOT, environment
from packaging.requirements import Requirement

import ratingpriv

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel with the hatchling of this environment: no download, so it works offline."""
    folder = tmp_path_factory.mktemp("dist")
    asked = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    answer = subprocess.run(asked, env=environment(), capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel into a fresh environment; return its folder of programs.

    The dependencies are those of this environment, and none that only an extra asks for; they are
    linked, so that nothing is downloaded.
    """
    folder = tmp_path_factory.mktemp("somewhere else") / "environment"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    paths = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", "venv", paths))
    programs = Path(sysconfig.get_path("scripts", "venv", paths))
    python = programs / "python"
    asked = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
        wheel,
    ]
    answer = subprocess.run(asked, env=environment(), capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    [ours] = importlib.metadata.distributions(path=[str(site)])
    for distribution in required(ours, {}).values():
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return programs


def required(distribution, found):
    """Return the distributions that a distribution requires without extras, by name."""
    for text in distribution.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if requirement.name not in found and (marker is None or marker.evaluate({"extra": ""})):
            found[requirement.name] = importlib.metadata.distribution(requirement.name)
            required(found[requirement.name], found)
    return found


@pytest.fixture
def outside(tmp_path):
    """A folder far from the checkout with the papers' Table 2 in it."""
    shutil.copy(ROOT / "examples" / "table2.csv", tmp_path)
    return tmp_path


def run(*asked, folder):
    return subprocess.run(
        asked, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


def mypy(installed):
    return [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--python-executable",
        installed / "python",
    ]


def test_what_an_extra_brings_is_named(installed, outside):
    answer = run(installed / "ratingpriv", "synthesize", "-o", "s.parquet", folder=outside)
    assert answer.returncode == 2
    assert "pip install 'ratingpriv[parquet]'" in answer.stderr
    assert not (outside / "s.parquet").exists()


def test_it_holds_both_packages_their_types_and_the_licence(names):
    assert {"ratingpriv/__init__.py", "ratingpriv_loaders/__init__.py"} <= names
    assert {"ratingpriv/py.typed", "ratingpriv_loaders/py.typed"} <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_it_holds_every_module_of_the_checkout(names):
    ours = {
        path.relative_to(folder.parent).as_posix()
        for folder in PACKAGES.values()
        for path in folder.rglob("*.py")
    }
    assert ours == {name for name in names if name.endswith(".py")}


def test_it_holds_nothing_else(names):
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "ratingpriv",
        "ratingpriv_loaders",
    }
    allowed = {
        ".py",
        ".typed",
        ".toml",
        ".cypher",
        ".jinja",
        ".css",
        ".js",
        ".json",
        ".txt",
        ".statements",
    }
    inside = [name for name in names if ".dist-info/" not in name]
    assert not [name for name in inside if Path(name).suffix not in allowed]
    assert not [name for name in inside if "test" in Path(name).parts or "__pycache__" in name]


def test_the_checkout_is_out_of_sight(installed, outside):
    ask = "import ratingpriv, ratingpriv_loaders, sys\n"
    ask += "print(ratingpriv.__file__, ratingpriv_loaders.__file__, *sys.path, sep='|')"
    answer = run(installed / "python", "-c", ask, folder=outside)
    assert answer.returncode == 0, answer.stderr
    library, loaders, *path = answer.stdout.strip().split("|")
    assert Path(library).is_relative_to(installed.parent)
    assert Path(loaders).is_relative_to(installed.parent)
    assert not [folder for folder in path if Path(folder) in {ROOT, ROOT / "loaders"}]


def test_it_says_its_version(installed, outside):
    answer = run(installed / "ratingpriv", "version", folder=outside)
    assert answer.returncode == 0, answer.stderr
    assert ratingpriv.__version__ in answer.stdout


def test_it_reads_and_audits(installed, outside):
    options = [
        "--sensitive",
        "issue 4",
        "--scale",
        "1:7",
        "--k",
        "2",
        "--epsilon",
        "1",
        "--l",
        "1.5",
        "--accept",
        "epsilon-covers-questions",
    ]
    answer = run(
        installed / "ratingpriv", "audit", "table2.csv", *options, "--json", folder=outside
    )
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    assert result["k_epsilon_l"]["satisfied"] is True
    assert result["k_epsilon"]["max_k"] == 2
    assert result["neighbourhood_sizes"]["pairs"] == 4


def test_it_holds_every_query_of_the_library(names):
    ours = {path.relative_to(ROOT / "cypher").as_posix() for path in (ROOT / "cypher").rglob("*.*")}
    folder = "ratingpriv/_cypher/"
    assert ours == {name.removeprefix(folder) for name in names if name.startswith(folder)}


def test_it_holds_every_json_schema(names, installed, outside):
    ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / "ratingpriv").rglob("*.json")}
    assert ours == {name for name in names if name.endswith(".json")}
    answer = run(installed / "ratingpriv", "schema", "audit", folder=outside)
    assert json.loads(answer.stdout) == ratingpriv.schema("audit")


def test_it_ingests_and_runs_a_query_of_its_own(installed, outside):
    ask = "from ratingpriv.graph.catalogue import library_folder; print(library_folder())"
    answer = run(installed / "python", "-c", ask, folder=outside)
    assert Path(answer.stdout.strip()).is_relative_to(installed.parent), answer.stderr
    options = ["--sensitive", "issue 4", "--scale", "1:7", "--epsilon", "1", "--dataset", "two"]
    answer = run(installed / "ratingpriv", "ingest", "table2.csv", *options, folder=outside)
    assert answer.returncode == 0, answer.stderr
    asked = ["audit/degree-check", "-p", "k=2", "-p", "epsilon=1", "--dataset", "two", "--json"]
    answer = run(installed / "ratingpriv", "query", "run", *asked, folder=outside)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["rows"][0]["satisfied"] is True


def test_a_program_that_uses_the_public_api_is_well_typed(installed, outside):
    program = shutil.copy(ROOT / "tests" / "house" / "public_api.py", outside)
    answer = run(*mypy(installed), program, folder=outside)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_a_program_that_uses_the_public_api_runs(installed, outside):
    program = shutil.copy(ROOT / "tests" / "house" / "public_api.py", outside)
    answer = run(installed / "python", program, folder=outside)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_a_wrong_use_of_the_api_is_found(installed, outside):
    program = outside / "wrong.py"
    program.write_text(
        "import ratingpriv\nratingpriv.audit(3, k='many', epsilon=1)\n", encoding="utf-8"
    )
    answer = run(*mypy(installed), program, folder=outside)
    # any table is a table
    assert answer.stdout.count("[arg-type]") == 1, answer.stdout + answer.stderr
