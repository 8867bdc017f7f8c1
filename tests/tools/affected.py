"""Which test files a change is likely to break: for the inner loop (``make quick``), never for CI.

A changed source selects the tests of its own room, those that import it (by themselves, by a helper
or a conftest), those named like it, and those of the commands that import it. A kernel ``_x.py``
counts for who imports it. A changed test selects itself; a changed helper the tests that import it.
"""

import re
import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
# of the search path that pyproject.toml gives the tests
ROOTS = ("tests/support/", "tests/tools/", "tests/")
SLOW = ("tests/browser/", "tests/packaging/", "tests/house/", "tests/tools/crash/")
ALWAYS = (
    "tests/audit/test_golden.py",
    "tests/partition/test_partition.py",
    "tests/cli/test_audit.py",
)
IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (\(.*?\)|.*?$)", re.MULTILINE | re.DOTALL)


def changed(base: str) -> set[str]:
    """Return what differs from where this branch left ``base``, committed or not."""

    def git(*words: str) -> list[str]:
        return subprocess.check_output(["git", *words], cwd=ROOT, text=True).split("\0")

    start = git("merge-base", base, "HEAD")[0].strip()
    differing = git("diff", "--name-only", "-z", start)
    return {*differing, *git("ls-files", "-z", "--others", "--exclude-standard")} - {""}


def dotted(file: str, *roots: str) -> str:
    root = next((root for root in roots if file.startswith(root)), "")
    return file.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported(file: str) -> set[str]:
    """Return the dotted names that a test file imports: of modules, and of what is in them."""
    names = set()
    for module, several in IMPORT.findall((ROOT / file).read_text(encoding="utf-8")):
        each = [name.split(" as ")[0].strip() for name in several.strip("()").split(",")]
        names |= {module, *(f"{module}.{name}".lstrip(".") for name in each)}
    return names


def affected(paths: set[str]) -> list[str]:
    """Return the test files for the changed ``paths``."""
    graph = grimp.build_graph(
        "ratingpriv", "ratingpriv_loaders", cache_dir=str(ROOT / ".cache" / "grimp")
    )
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")}
    helpers = {dotted(file, *ROOTS): file for file in files}
    names = {file: imported(file) for file in files}
    tests = {file for file in files if Path(file).name.startswith("test_")}

    def reach(file: str, seen: set[str]) -> set[str]:
        """Return ``file``, its helpers and conftests, and what they import."""
        seen |= {file} | names[file]
        beside = {(parent / "conftest.py").as_posix() for parent in Path(file).parents} & files
        for other in (beside - {"tests/conftest.py"}) | {
            helpers[name] for name in names[file] & helpers.keys()
        }:
            if other not in seen:
                reach(other, seen)
        return seen

    reached = {file: reach(file, set()) for file in tests}
    picked = {file for file in tests if reached[file] & paths}
    for module in {dotted(path, "loaders/") for path in paths} & graph.modules:
        *room, name = module.split(".")
        users = graph.find_modules_that_directly_import(module)
        folder = "/".join(
            ["tests", *(["loaders"] if room[:1] == ["ratingpriv_loaders"] else []), *room[1:], ""]
        )
        like = {f"test_{name.lstrip('_')}.py"}
        commands = {
            f"tests/cli/test_{user.rpartition('.')[2]}.py" for user in users if ".cli." in user
        }
        own = {module} | (users if name.startswith("_") else set())
        picked |= {
            file
            for file in tests
            if reached[file] & own
            or Path(file).name in like
            or (room[1:] and file.startswith(folder))
            or file in commands
        }
    return sorted(file for file in {*picked, *ALWAYS} if not file.startswith(SLOW))


if __name__ == "__main__":
    print("\n".join(affected(changed(sys.argv[1] if len(sys.argv) > 1 else "main"))))
