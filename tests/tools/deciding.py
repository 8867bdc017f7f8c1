"""Whether what decides a long step of .ci/run is as it was when the step last passed whole.

``deciding.py COMMIT TEST...`` ends with 0 if nothing differs between COMMIT and the working tree in
what the tests reach: themselves, their helpers and conftests, the modules that those import and
what these import in turn; or in what decides every step: versions, the Makefile, settings, and what
no import tells, such as queries and templates. A working tree that is not committed, or a COMMIT
that is not known, differs.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import grimp
from affected import ROOT, ROOTS, dotted, imported

EVERY_STEP = (
    "Makefile",
    "pyproject.toml",
    "constraints",
    ".ci/",
    "tests/conftest.py",
    "tests/support/",
)
"""What the outcome of any step depends on, by the beginnings of paths."""
DATA = ("cypher/", "examples/", "ratingpriv/", "loaders/")
"""Where files that are no Python decide, too."""


def git(*words: str) -> list[str]:
    """Return what git says, by lines."""
    return subprocess.check_output(["git", *words], cwd=ROOT, text=True).splitlines()


def files_of(tests: Iterable[str]) -> set[str]:
    """Return the test files that are meant: files, folders, and marks."""
    found: set[str] = set()
    for named in tests:
        path = ROOT / named
        marked = f"mark.{named}"
        found |= {
            one.relative_to(ROOT).as_posix()
            for one in (
                [path]
                if path.is_file()
                else (path if path.is_dir() else ROOT / "tests").rglob("*.py")
            )
            if path.exists() or marked in one.read_text(encoding="utf-8")
        }
    return found


def reached(tests: Iterable[str]) -> set[str]:
    """Return every Python file that tests import, directly or not,
    and the conftests beside them.
    """
    graph = grimp.build_graph(
        "ratingpriv", "ratingpriv_loaders", cache_dir=str(ROOT / ".cache" / "grimp")
    )
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")}
    helpers = {dotted(file, *ROOTS): file for file in files}
    seen: set[str] = set()
    waiting, modules = [*tests], set[str]()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        names = imported(file)
        modules |= names & graph.modules
        waiting += [helpers[name] for name in names & helpers.keys()]
        waiting += sorted(
            {(folder / "conftest.py").as_posix() for folder in Path(file).parents} & files
        )
    for module in tuple(modules):
        modules |= graph.find_upstream_modules(module)
    for module in modules:
        place = module.replace(".", "/")
        roots = ("", "loaders/")
        seen |= {f"{root}{place}{end}" for root in roots for end in (".py", "/__init__.py")}
    return seen


def differing(commit: str, tests: Iterable[str]) -> list[str]:
    """Return what decides the tests and is not as it was; what is not committed is always that."""
    meant = files_of(tests)
    deciding, beside = reached(meant), {Path(file).parent.as_posix() for file in meant}
    changed = git("diff", "--name-only", commit, "HEAD", "--")
    return [*git("status", "--porcelain")] + [
        path
        for path in changed
        if path in deciding
        # programs
        or (Path(path).parent.as_posix() in beside and not Path(path).name.startswith("test_"))
        or path.startswith(EVERY_STEP)
        or (path.startswith(DATA) and not path.endswith(".py"))
    ]


if __name__ == "__main__":
    try:
        found = differing(sys.argv[1], sys.argv[2:])
    except (subprocess.CalledProcessError, IndexError):
        found = ["a commit that is not known"]
    sys.exit(bool(found))
