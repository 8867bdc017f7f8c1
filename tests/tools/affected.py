"""Which test files a change is likely to break: for the inner loop (``make quick``), never for CI.

A changed source selects the tests of its own room, those that import it (by themselves, by a helper or a
conftest), those named like it, and those of the commands that import it. A kernel ``_x.py`` counts for who
imports it. A changed test selects itself; a changed helper the tests that import it.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
ROOTS = ("tests/support/", "tests/tools/", "tests/")  # of the search path that pyproject.toml gives the tests
SLOW = ("tests/browser/", "tests/packaging/", "tests/house/", "tests/tools/crash/")
ALWAYS = ("tests/audit/test_golden.py", "tests/partition/test_partition.py", "tests/cli/test_audit.py")


def changed(base: str) -> set[str]:
    """Return what differs from where this branch left ``base``, committed or not."""

    def git(*words: str) -> list[str]:
        asked = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return asked.stdout.split("\0")

    start = git("merge-base", base, "HEAD")[0].strip()
    return {
        *git("diff", "--name-only", "-z", start),
        *git("ls-files", "-z", "--others", "--exclude-standard"),
    } - {""}


def module_of(path: str) -> str:
    return path.removeprefix("loaders/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def dotted(file: str) -> str:
    """Return the name by which tests import one of their helpers."""
    root = next(root for root in ROOTS if file.startswith(root))
    return file.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported(path: Path, known: frozenset[str]) -> set[str]:
    """Return what a test file names: modules of ours in full, helpers of the tests by their dotted names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{name.name}" for name in node.names}
            found |= (below & known) or {node.module}
            found |= below
    return found


def affected(paths: set[str]) -> list[str]:
    """Return the test files for the changed ``paths``."""
    cache = ROOT / ".cache" / "grimp"
    graph = grimp.build_graph("ratingpriv", "ratingpriv_loaders", cache_dir=str(cache))
    known = frozenset(graph.modules)
    files = {path.relative_to(ROOT).as_posix(): path for path in TESTS.rglob("*.py")}
    helper = {dotted(name): name for name in files}
    names = {file: imported(path, known) for file, path in files.items()}
    tests = [file for file in files if Path(file).name.startswith("test_")]

    def reach(file: str, seen: set[str]) -> set[str]:
        if file in seen:
            return set()
        seen.add(file)
        own = {file} | (names[file] & known)
        beside = {(parent / "conftest.py").as_posix() for parent in Path(file).parents} & files.keys() - {
            "tests/conftest.py"
        }
        for other in beside | {helper[name] for name in names[file] & helper.keys()}:
            own |= reach(other, seen)
        return own

    reached = {file: reach(file, set()) for file in tests}
    named = defaultdict(set)
    for file in tests:
        named[Path(file).stem.removeprefix("test_")].add(file)
    picked: set[str] = set()
    for path in paths:
        if path.startswith("tests/"):
            picked |= {file for file in tests if path in reached[file]}
            continue
        module = module_of(path)
        if module not in known:
            continue
        *room, name = module.split(".")
        inside = "tests/" + "/".join(
            [*(["loaders"] if room[:1] == ["ratingpriv_loaders"] else []), *room[1:]]
        )
        own = [module]
        if name.startswith("_"):
            own += graph.find_modules_that_directly_import(module)
        picked |= {file for file in tests if reached[file] & set(own)} | named[name.lstrip("_")]
        picked |= {file for file in tests if room[1:] and file.startswith(f"{inside}/")}
        for user in graph.find_modules_that_directly_import(module):
            if user.startswith("ratingpriv.cli."):
                picked |= {file for file in named[user.rpartition(".")[2]] if file.startswith("tests/cli/")}
    return sorted(file for file in {*picked, *ALWAYS} if not file.startswith(SLOW))


if __name__ == "__main__":
    print("\n".join(affected(changed(sys.argv[1] if len(sys.argv) > 1 else "main"))))
