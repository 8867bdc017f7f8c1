"""House rules that a reader would otherwise have to check by eye."""

import ast
import configparser
import re
import tomllib

from house.checkout import ROOT, texts

MACHINE_PATH = re.compile(r"(?<![\w.~}\"])/(?:home|root|Users|work|farm)/\w")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def test_no_file_names_a_path_of_one_machine():
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path, text in texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line) or str(ROOT) in line
    ]
    assert not found


def test_the_oracles_share_nothing_with_what_they_judge():
    for path in (ROOT / "tests" / "support" / "naive").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            shared = [
                name for name in imported if "proximity" in name and not name.startswith("naive.")
            ]
            assert not shared, path.name


def test_the_build_names_no_registry_and_constraints_are_versions_only():
    build = ["Makefile", "constraints.txt", "pyproject.toml", ".ci/run", ".ci/find-python"]
    texts_of = {name: (ROOT / name).read_text(encoding="utf-8") for name in build}
    assert not [name for name, text in texts_of.items() if re.search(r"https?://|index-url", text)]
    pins = [
        line
        for line in texts_of["constraints.txt"].splitlines()
        if line and not line.startswith("#")
    ]
    assert pins
    assert not [line for line in pins if not re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*", line)]


def test_what_is_not_counted_is_counted_where_spark_runs():
    coverage = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "coverage"
    ]
    left_out = {name for name in coverage["run"]["omit"] if name.startswith("ratingpriv/spark/")}
    there = configparser.ConfigParser()
    there.read(ROOT / "tests" / "spark" / "coverage.ini")
    counted = set(there["report"]["include"].split())
    assert counted == left_out
