"""Whether the program still does what it did: ``make guard BASE=commit`` (``--only 'audit*' --jobs 2``).

The command lines of ``guard.toml`` are run as they stand, a scenario in a fresh copy of ``examples/``, with the test
data under ``data/``: once by the commit, once by the working tree. Each is built as a wheel and installed into a
folder of its own, entry points and all, over the packages of this ``.venv``. Exit codes, JSON, headlines, errors and
every file written are recorded in ``.cache/guard/COMMIT.json`` and compared field by field. ``guard-expected.toml``
explains what is meant to differ; anything else ends with 1.
"""

from __future__ import annotations

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
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LINES = Path(__file__).with_name("guard.toml")
EXPECTED = Path(__file__).with_name("guard-expected.toml")
RECORDINGS = ROOT / ".cache" / "guard"

VARYING = frozenset({"version", "versions", "seconds", "nonce", "commitment"})
"""Keys of JSON whose values differ from run to run."""

TEXTS = (  # the same in what is no JSON
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[.\d]*(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"ratingpriv \d+\.\d+\.\d+\S*"), "ratingpriv VERSION"),
)
DOCUMENTS = (".json", ".key")
PAGES = (".txt", ".md", ".html", ".svg", ".toml", ".xml", ".sarif", ".graphml", ".cypher")
SHOWN = 12  # differences of one command line

Record = dict[str, Any]
"""What one command line did: field → value."""


@dataclass(frozen=True)
class Bench:
    """What a recording is made with: the folder of the installed program, the examples, the test data."""

    program: Path
    examples: Path
    data: Path
    jobs: int = 1

    def environment(self) -> dict[str, str]:
        left_out = ("RATINGPRIV_", "NEO4J_", "PYTHON", "VIRTUAL_ENV")
        own = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        path = f"{self.program / 'bin'}{os.pathsep}{own.get('PATH', os.defpath)}"
        return own | {"PATH": path, "PYTHONPATH": str(self.program), "COLUMNS": "100", "TZ": "UTC"}

    def absent(self, lines: list[str]) -> bool:
        """Say whether test data that ``lines`` name are not there."""
        return not all((self.data / name).exists() for name in re.findall(r"\bdata/([\w-]+)", "\n".join(lines)))


def scenarios(text: str) -> dict[str, list[str]]:
    named = tomllib.loads(text)
    return {
        name: [line for line in lines.splitlines() if line and not line.startswith("#")]
        for name, lines in named.items()
    }


def digest(lines: list[str]) -> str:
    """Return what a kept recording of ``lines`` is known by: itself, and this program."""
    return hashlib.sha256(repr(lines).encode() + Path(__file__).read_bytes()).hexdigest()


def record(bench: Bench, wanted: dict[str, list[str]]) -> dict[str, list[tuple[str, Record]]]:
    with ThreadPoolExecutor(bench.jobs) as pool:
        return dict(zip(wanted, pool.map(lambda lines: run(bench, lines), wanted.values()), strict=True))


def run(bench: Bench, lines: list[str]) -> list[tuple[str, Record]]:
    """Run the lines of one scenario; those without ``ratingpriv`` only prepare."""
    done = []
    with tempfile.TemporaryDirectory(prefix="guard-") as place:
        folder = Path(place, "work")
        shutil.copytree(bench.examples, folder, ignore=shutil.ignore_patterns("notebooks"))
        (folder / "data").symlink_to(bench.data)
        environment = bench.environment() | {"XDG_STATE_HOME": place}
        before = files(folder)
        for line in lines:
            ended = subprocess.run(
                ["sh", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True
            )
            after = files(folder)
            if "ratingpriv " in line:
                known = {str(folder): "FOLDER", place: "STATE", str(bench.program): "PROGRAM"}
                written = [name for name in after if after[name] != before.get(name)]
                gone = {f"{name}: removed": True for name in before.keys() - after.keys()}
                done.append((line, said(ended, known) | gone | wrote(folder, written, known)))
            before = after
    return done


def files(folder: Path) -> dict[str, str]:
    """Return every file below ``folder`` with its hash; what is linked there is input."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for parent, _, names in os.walk(folder)
        for path in (Path(parent, name) for name in names)
        if not path.is_symlink()
    }


def said(ended: subprocess.CompletedProcess[bytes], known: dict[str, str]) -> Record:
    output = plain(ended.stdout.decode(errors="replace"), known)
    errors = plain(ended.stderr.decode(errors="replace"), known)
    found: Record = {"exit": ended.returncode}
    try:
        found |= fields("stdout", json.loads(output))
    except ValueError:
        shown = [line for line in output.splitlines() if line.strip()] or [""]
        found |= {"headline": shown[0], "last line": shown[-1]}
    error = re.search(r"[Ee]rror: .*", errors, re.DOTALL)
    if error or ended.returncode not in (0, 1):
        found["error"] = " ".join((error.group() if error else errors).split())
    return found


def wrote(folder: Path, names: list[str], known: dict[str, str]) -> Record:
    """Return JSON by its content, pages by a hash of what does not vary, all else byte by byte."""
    found: Record = {}
    for name in sorted(names):
        content = (folder / name).read_bytes()
        if ".grafeo" in name:  # its bytes are the store's own business
            found[f"{name}: written"] = True
            continue
        if name.endswith(DOCUMENTS):
            found |= fields(f"{name}:", json.loads(plain(content.decode(), known)))
            continue
        if name.endswith(PAGES):
            content = plain(content.decode(), known).encode()
        found |= {f"{name}: sha256": hashlib.sha256(content).hexdigest(), f"{name}: bytes": len(content)}
    return found


def plain(text: str, known: dict[str, str]) -> str:
    for path, name in known.items():
        text = text.replace(path, name)
    for pattern, name in TEXTS:
        text = pattern.sub(name, text)
    return text


def fields(name: str, value: Any) -> Record:
    """Flatten a JSON value: path → number, text, or a kind of emptiness."""
    if isinstance(value, dict) and value:
        inner: list[tuple[Any, Any]] = [(f".{key}", one) for key, one in value.items() if key not in VARYING]
    elif isinstance(value, list) and value:
        inner = [(f"[{place}]", one) for place, one in enumerate(value)]
    else:
        return {name: value}
    return {path: leaf for key, one in inner for path, leaf in fields(f"{name}{key}", one).items()}


def differences(before: Record, after: Record) -> Iterator[tuple[str, Any, Any]]:
    for name in before | after:
        old, new = before.get(name, "absent"), after.get(name, "absent")
        if old != new or type(old) is not type(new):
            yield name, old, new


def compare(
    before: dict[str, list[tuple[str, Record]]],
    after: dict[str, list[tuple[str, Record]]],
    expected: list[dict[str, str]],
) -> int:
    """Print what differs, and how much of it ``expected`` explains; return how much it does not."""
    explained: Counter[str] = Counter()
    unexplained = 0
    for name, lines in after.items():
        for (line, old), (_, new) in zip(before[name], lines, strict=True):
            left = []
            for field, *values in differences(old, new):
                where = f"{name} | {line} | {field}"
                why = next((one["why"] for one in expected if fnmatchcase(where, one["where"])), None)
                if why is None:
                    left.append(f"    {field}: {short(values[0])} → {short(values[1])}")
                else:
                    explained[why] += 1
            if left:
                more = [f"    and {len(left) - SHOWN} more"] if len(left) > SHOWN else []
                print(f"{name}: {line}", *left[:SHOWN], *more, sep="\n")
            unexplained += len(left)
    for why, count in explained.items():
        print(f"explained, {count}: {why}")
    return unexplained


def short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"


@contextmanager
def installed(commit: str | None) -> Iterator[tuple[Path, Path]]:
    """Build and install ``commit``, or the working tree; yield the folder it is in, and its examples."""
    with tempfile.TemporaryDirectory(prefix="guard-") as place:
        tree = Path(place, "tree") if commit else ROOT
        if commit:
            git("worktree", "add", "--quiet", "--detach", str(tree), commit)
        try:
            wheel = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, str(tree)]
            subprocess.run(wheel, check=True, stdout=subprocess.DEVNULL)
            program = Path(place, "program")
            built = next(Path(place).glob("*.whl"))
            install = [".ci/install", sys.prefix, "--target", str(program), "--no-deps", str(built)]
            subprocess.run(install, cwd=ROOT, check=True)
            yield program, tree / "examples"
        finally:
            if commit:
                git("worktree", "remove", "--force", str(tree))


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def recording(commit: str | None, wanted: dict[str, list[str]], data: Path, jobs: int) -> dict[str, Any]:
    """Return what ``commit`` (None: the working tree) does, as far as it is kept from what was recorded."""
    place = RECORDINGS / f"{commit or 'working-tree'}.json"
    kept = json.loads(place.read_text(encoding="utf-8")) if commit and place.exists() else {}
    missing = {name: lines for name, lines in wanted.items() if kept.get(name, {}).get("of") != digest(lines)}
    if missing:
        with installed(commit) as (program, examples):
            made = record(Bench(program, examples, data, jobs), missing)
        kept |= {name: {"of": digest(wanted[name]), "lines": lines} for name, lines in made.items()}
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        count = sum(map(len, made.values()))
        print(f"{commit or 'working tree'}: {count} command lines, {used.ru_utime + used.ru_stime:.0f} CPU s so far")
    return {name: kept[name]["lines"] for name in wanted}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    base = git("rev-parse", "--verify", f"{asked.base}^{{commit}}")
    data = Path(os.environ.get("RATINGPRIV_TEST_DATA") or ROOT.parent / "shared" / "data").resolve()
    wanted = {
        name: lines
        for name, lines in scenarios(LINES.read_text(encoding="utf-8")).items()
        if fnmatchcase(name, asked.only)
    }
    absent = [name for name, lines in wanted.items() if Bench(ROOT, ROOT, data).absent(lines)]
    wanted = {name: lines for name, lines in wanted.items() if name not in absent}
    expected = tomllib.loads(EXPECTED.read_text(encoding="utf-8")).get("difference", [])
    # what is clean is HEAD, and its recording the base of the next step
    now = None if git("status", "--porcelain") else git("rev-parse", "HEAD")
    unexplained = compare(
        recording(base, wanted, data, asked.jobs), recording(now, wanted, data, asked.jobs), expected
    )
    if absent:
        print(f"not run, as there is no such data below {data}: {', '.join(absent)}")
    print(f"{unexplained} differences without a reason since {base[:10]}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
