"""Whether the program still does what it did: ``make guard BASE=commit``.

The command lines of ``guard.toml`` are run as they stand, a scenario in a fresh copy of
``examples/`` and the test data in ``data/``: by the commit and by the working tree, each installed
into a folder of its own over the packages of this ``.venv``. Exit codes, JSON, headlines, errors
and every file written are recorded in ``.cache/guard/COMMIT.json`` and compared.
``guard-expected.toml`` explains what is meant to differ.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
LINES = Path(__file__).with_name("guard.toml")
EXPECTED = Path(__file__).with_name("guard-expected.toml")

VARYING = re.compile(
    r"\.(versions?|seconds|nonce|commitment|signature\.(value|public_key_sha256))$"
)
"""Paths in JSON whose values differ from run to run."""
TEXTS = (  # what does so in any text
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[.\d]*(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"ratingpriv \d+(\.\w+)+"), "ratingpriv VERSION"),
)
DOCUMENTS = (".json", ".key")
PAGES = (".txt", ".md", ".html", ".svg", ".toml", ".xml", ".graphml", ".cypher", "/dataset-1.csv")
# variables that would change what is run
FOREIGN = ("RATINGPRIV_", "NEO4J_", "PYTHON", "VIRTUAL_ENV")
SHOWN = 12  # differences of one command line

Outcome = dict[str, Any]
"""What one command line did: field → value."""
Outcomes = dict[str, list[tuple[str, Outcome]]]
"""Scenario → its command lines, each with what it did."""


class Bench(NamedTuple):
    """What is run, and on what: the folder of the installed program, the examples,
    the test data.
    """

    program: Path
    examples: Path
    data: Path


def scenarios(text: str) -> dict[str, list[str]]:
    return {name: lines.strip().splitlines() for name, lines in tomllib.loads(text).items()}


def digest(lines: list[str]) -> str:
    """Return what an earlier recording of ``lines`` is known by: them, and this program."""
    return hashlib.sha256(repr(lines).encode() + Path(__file__).read_bytes()).hexdigest()


def record(bench: Bench, wanted: dict[str, list[str]], jobs: int = 1) -> Outcomes:
    with ThreadPoolExecutor(jobs) as pool:
        return dict(
            zip(wanted, pool.map(lambda lines: run(bench, lines), wanted.values()), strict=True)
        )


def run(bench: Bench, lines: list[str]) -> list[tuple[str, Outcome]]:
    """Run the lines of one scenario; those without ``ratingpriv`` only prepare."""
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="guard-") as home:
        folder = Path(home, "work")
        shutil.copytree(bench.examples, folder, ignore=shutil.ignore_patterns("notebooks"))
        (folder / "data").symlink_to(bench.data)
        own = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        path = f"{bench.program / 'bin'}{os.pathsep}{own.get('PATH', os.defpath)}"
        own |= {
            "PATH": path,
            "PYTHONPATH": str(bench.program),
            "COLUMNS": "100",
            "XDG_STATE_HOME": home,
        }
        places = {str(folder): "FOLDER", home: "HOME", str(bench.program): "PROGRAM"}
        before = files(folder)
        for line in lines:
            ended = subprocess.run(
                ["sh", "-c", line],
                cwd=folder,
                env=own,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
            after = files(folder)
            outcome = printed(ended, places)
            outcome |= {f"{name}: removed": True for name in before.keys() - after.keys()}
            for name in sorted(dict(after.items() - before.items())):
                outcome |= written(name, (folder / name).read_bytes(), places)
            if "ratingpriv" in line:
                outcomes.append((line, outcome))
            before = after
    return outcomes


def files(folder: Path) -> dict[str, str]:
    """Return every file below ``folder`` with its hash; what is linked there is input."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if not path.is_symlink()
    }


def printed(ended: subprocess.CompletedProcess[bytes], places: dict[str, str]) -> Outcome:
    """Return the exit code, JSON by its content, a page by its first and last line,
    and the error.
    """
    output, errors = (plain(stream, places) for stream in (ended.stdout, ended.stderr))
    outcome: Outcome = {"exit": ended.returncode}
    try:
        outcome |= fields("stdout", json.loads(output))
    except ValueError:
        page = [line for line in output.splitlines() if line.strip()] or [""]
        outcome |= {"headline": page[0], "last line": page[-1]}
    error = re.search(r"[Ee]rror: .*", errors, re.DOTALL)
    if error or ended.returncode not in (0, 1):
        outcome["error"] = " ".join((error.group() if error else errors).split())
    return outcome


def written(name: str, content: bytes, places: dict[str, str]) -> Outcome:
    """Return JSON by its content, pages by a hash of what does not vary, all else byte by byte."""
    if ".grafeo" in name:  # its bytes are the store's own business
        return {f"{name}: written": True}
    if name.endswith(DOCUMENTS):
        try:
            return fields(f"{name}:", json.loads(plain(content, places)))
        except ValueError:
            pass  # by its bytes
    if name.endswith(PAGES):
        content = plain(content, places).encode()
    return {f"{name}: sha256": hashlib.sha256(content).hexdigest(), f"{name}: bytes": len(content)}


def plain(content: bytes, places: dict[str, str]) -> str:
    text = content.decode(errors="replace")
    for path, name in places.items():
        text = text.replace(path, name)
    for pattern, name in TEXTS:
        text = pattern.sub(name, text)
    return text


def fields(path: str, value: Any) -> Outcome:
    """Flatten JSON: path → number, text or a kind of emptiness, without what varies."""
    if not isinstance(value, (dict, list)) or not value:
        return {path: value}
    if isinstance(value, dict):
        inner = [(f"{path}.{key}", part) for key, part in value.items()]
    else:
        inner = [(f"{path}[{position}]", part) for position, part in enumerate(value)]
    return {
        leaf: end
        for deeper, part in inner
        if not VARYING.search(deeper)
        for leaf, end in fields(deeper, part).items()
    }


def compare(before: Outcomes, after: Outcomes, expected: list[dict[str, str]]) -> int:
    """Print what differs, and how much of it ``expected`` explains; return how much it does not."""
    explained, unexplained = Counter[str](), 0
    for name, lines in after.items():
        for (line, old), (_, new) in zip(before[name], lines, strict=True):
            differences = []
            for field in old | new:
                values = [
                    json.dumps(side[field]) if field in side else "absent" for side in (old, new)
                ]
                if values[0] == values[1]:
                    continue
                where = f"{name} | {line} | {field}"
                why = next(
                    (rule["why"] for rule in expected if fnmatchcase(where, rule["where"])), None
                )
                if why is None:
                    differences.append(
                        f"    {field}: " + " → ".join(value[:200] for value in values)
                    )
                else:
                    explained[why] += 1
            if differences:
                more = (
                    [f"    and {len(differences) - SHOWN} more"] if len(differences) > SHOWN else []
                )
                print(f"{name}: {line}", *differences[:SHOWN], *more, sep="\n")
            unexplained += len(differences)
    for why, count in explained.items():
        print(f"explained, {count}: {why}")
    return unexplained


@contextmanager
def installed(commit: str | None) -> Iterator[tuple[Path, Path]]:
    """Install ``commit``, or the working tree; yield the folder it is in, and its examples."""
    with tempfile.TemporaryDirectory(prefix="guard-") as home:
        tree, program = Path(home, "tree") if commit else ROOT, Path(home, "program")
        if commit:
            git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            pip = (
                "-m pip --disable-pip-version-check install --quiet --no-deps "
                "--no-build-isolation --target"
            )
            subprocess.run([sys.executable, *pip.split(), str(program), str(tree)], check=True)
            yield program, tree / "examples"
        finally:
            if commit:
                git("worktree", "remove", "--force", str(tree))


def git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=ROOT, text=True).strip()


def recording(commit: str | None, wanted: dict[str, list[str]], data: Path, jobs: int) -> Outcomes:
    """Return what ``commit`` (None: the working tree) does; a commit is recorded once."""
    place = ROOT / ".cache" / "guard" / f"{commit or 'working tree'}.json"
    earlier = json.loads(place.read_text(encoding="utf-8")) if commit and place.exists() else {}
    known = {name: digest(lines) for name, lines in wanted.items()}
    missing = {
        name: wanted[name] for name in known if earlier.get(name, {}).get("of") != known[name]
    }
    if missing:
        with installed(commit) as (program, examples):
            outcomes = record(Bench(program, examples, data), missing, jobs)
        earlier |= {name: {"of": known[name], "lines": lines} for name, lines in outcomes.items()}
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(earlier, ensure_ascii=False, indent=1), encoding="utf-8")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        count, seconds = sum(map(len, outcomes.values())), used.ru_utime + used.ru_stime
        print(f"{place.stem}: {count} command lines, {seconds:.0f} CPU s so far", flush=True)
    return {name: earlier[name]["lines"] for name in wanted}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("base", help="a commit")
    parser.add_argument("--only", default="*", help="a pattern of scenarios")
    parser.add_argument("--jobs", type=int, default=1, help="scenarios at a time")
    options = parser.parse_args()
    base = git("rev-parse", "--verify", f"{options.base}^{{commit}}")
    # what is clean is HEAD, and its recording the base of the next step
    now = None if git("status", "--porcelain") else git("rev-parse", "HEAD")
    data = Path(os.environ.get("RATINGPRIV_TEST_DATA") or ROOT.parent / "shared" / "data").resolve()
    wanted = scenarios(LINES.read_text(encoding="utf-8"))
    for name, lines in list(wanted.items()):
        if not all(
            (data / needed).exists() for needed in re.findall(r"\bdata/([\w-]+)", "\n".join(lines))
        ):
            print(f"{name}: not run, as its data are not in {data}")
            del wanted[name]
        elif not fnmatchcase(name, options.only):
            del wanted[name]
    before, after = (recording(commit, wanted, data, options.jobs) for commit in (base, now))
    expected = tomllib.loads(EXPECTED.read_text(encoding="utf-8")).get("difference", [])
    unexplained = compare(before, after, expected)
    print(f"{unexplained} differences without a reason since {base[:10]}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
