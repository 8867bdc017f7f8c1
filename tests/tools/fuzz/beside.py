"""Files beside the data: attributes, known ratings, maps of a codebook, codebooks, keys.

More than the judge asks of any command: a line that cannot be read is refused by its number. So each file is
made whole, given a fault of a known line (or damaged anyhow), and what was refused has to name that line; and
a file that only looks odd has to be read as the same one plainly written.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

from fuzz.companions import samples
from fuzz.judging import Finding, judged
from fuzz.mutations import bent, damaged

__all__ = ["KIND", "attempt"]

KIND = "beside"

_IDS = ("ann", "bob", "eve", "joe", "kim", "lou", "mia", "ned")
_RATINGS = "user,item,rating\n" + "".join(f"{one},a,3\n{one},b,4\n" for one in _IDS)
_AUDIT = ["audit", "d.csv", "--k", "2", "--epsilon", "1"]
_WORDS = ("Total", "Maximum", "Mittelwert", "Moyenne", "SD", "n = 8", "% valid")
type _Lines = list[list[str]]


def attempt(rng: random.Random) -> str:
    """Try one; return the exit code."""
    kind = rng.choice((_attributes, _attributes, _users, _known, _map, _codebook, _key))
    return kind(rng)


def _attributes(rng: random.Random) -> str:
    """Ages of everybody: equal, so that the records are alike, unless a line is lost or another."""
    delimiter = rng.choice((",", ";", "\t", "|"))
    lines = [["user", "age", "city"], *([one, str(rng.choice((20, 20, 30))), "Bonn"] for one in _IDS)]
    Path("d.csv").write_text(_RATINGS)
    if rng.random() < 0.2:
        return _wild(
            rng, "u.csv", _text(lines, delimiter), [*_AUDIT, "--set", "attributes=u.csv", "--quasi", "age"]
        )
    fault = _fault(rng, lines, delimiter, header=True)
    more = rng.choice((["--quasi", "age"], ["--quasi", "age", "--quasi", "city"], ["--sensitive", "age"]))
    command = rng.choice(
        (_AUDIT, ["frontier", "d.csv"], ["partition", *_AUDIT[1:]], ["attack", "d.csv", "--known", "1"])
    )
    return _faulty("u.csv", *fault, [*command, "--set", "attributes=u.csv", *more])


def _users(rng: random.Random) -> str:
    """MovieLens's users, found beside the ratings."""
    name, delimiter, ratings = rng.choice((("u.user", "|", "u.data"), ("users.dat", "::", "ratings.dat")))
    between = "\t" if name == "u.user" else "::"
    Path(ratings).write_text("".join(f"{n}{between}7{between}3{between}97830076{n}\n" for n in range(1, 9)))
    ages = [["20", "F"] if name == "u.user" else ["F", "20"] for _ in range(8)]
    lines = [[str(n), *ages[n - 1], "10", f"1000{n}"] for n in range(1, 9)]
    if rng.random() < 0.2:
        return _wild(rng, name, _text(lines, delimiter), ["audit", ratings, *_AUDIT[2:], "--quasi", "age"])
    fault = _fault(rng, lines, delimiter, header=False)
    return _faulty(name, *fault, ["audit", ratings, *_AUDIT[2:], "--quasi", "age"])


def _known(rng: random.Random) -> str:
    """What an adversary knows, a line a rating."""
    Path("d.csv").write_bytes(samples()["d.csv"])
    lines = [["target", "issue", "rating"], *([one, rng.choice(("q1", "q2")), "4"] for one in _IDS)]
    fault = _fault(rng, lines, ",", header=True, statistics=False)
    return _faulty("aux.csv", *fault, ["attack", "d.csv", "--aux", "aux.csv", "--drop", "pay"])


def _map(rng: random.Random) -> str:
    """A hierarchy of a codebook."""
    delimiter = rng.choice((",", ";", "\t"))
    towns = ("Ulm", "Bonn", "Kiel", "Graz")
    Path("d.csv").write_text("id,q1,town\n" + "".join(f"r{n},3,{towns[n % 4]}\n" for n in range(8)))
    Path("c.toml").write_text('[columns.town]\nrole = "quasi"\nmap = "m.csv"\n')
    lines = [["value", "group"], *([town, "x"] for town in towns)]
    command = [*_AUDIT, "--codebook", "c.toml"]
    if rng.random() < 0.2:
        return _wild(rng, "m.csv", _text(lines, delimiter), command)
    return _faulty("m.csv", *_fault(rng, lines, delimiter, header=True, statistics=False), command)


def _codebook(rng: random.Random) -> str:
    Path("d.csv").write_bytes(samples()["d.csv"])
    if rng.random() < 0.5:
        fields = [{"name": name, "type": "integer", "ratingpriv:role": "rating"} for name in ("q1", "q2")]
        Path("c.json").write_bytes(
            bent(rng, {"fields": [*fields, {"name": "pay", "ratingpriv:role": "quasi"}]})
        )
        return judged([*_AUDIT, "--codebook", "c.json"]).word
    text = '[columns.user]\nrole = "id"\n[columns."q*"]\nrole = "rating"\n[columns.pay]\nrole = "quasi"\n'
    return _wild(rng, "c.toml", text + "band = 10\n", [*_AUDIT, "--codebook", "c.toml"])


def _key(rng: random.Random) -> str:
    for name in ("d.csv", "r.csv", "r.csv.manifest.json"):
        Path(name).write_bytes(samples()[name])
    text = json.dumps(json.loads(samples()["k.json"]), indent=rng.choice((None, 1)))
    return _wild(
        rng,
        "k.json",
        text,
        ["attack", "d.csv", "--release", "r.csv", "--truth", "k.json", "--sensitive", "pay"],
    )


def _wild(rng: random.Random, name: str, text: str, command: list[str]) -> str:
    """Damage a file anyhow: the judge's own demands hold."""
    Path(name).write_bytes(damaged(rng, text.encode()))
    return judged(command).word


def _text(lines: _Lines, delimiter: str) -> str:
    return "".join(delimiter.join(cells) + "\n" for cells in lines)


def _fault(
    rng: random.Random, lines: _Lines, delimiter: str, *, header: bool, statistics: bool = True
) -> tuple[str, int | None]:
    """Return a text of the lines and the number of one that cannot be read; None: it only looks odd."""
    written = [delimiter.join(cells) for cells in lines]
    first = 1 if header else 0
    at = rng.randrange(first + 1, len(lines))  # one whole line at least is above
    kinds = ["more", "fewer", "behind", "unclosed", "quoted", "returns", "blank", "plain", "unended"]
    kinds += ["bom"] if header else []  # of MovieLens in Latin-1 it is a part of the first id, and told
    kind = rng.choice([*kinds, *(["word"] if statistics and header else [])])
    number: int | None = at + 1
    match kind:
        case "more":
            written[at] += delimiter + rng.choice(("", "x", '"x"'))
        case "fewer":
            written[at] = delimiter.join(lines[at][:-1])
        case "behind":
            cell = rng.randrange(len(lines[at]))
            written[at] = delimiter.join(
                f'"{one}"x' if place == cell else one for place, one in enumerate(lines[at])
            )
        case "unclosed":
            written[at] = '"' + written[at]
        case "word":
            written.append(
                delimiter.join([rng.choice(_WORDS), *(rng.choice(("20", "")) for _ in lines[0][1:])])
            )
            number = len(written)
        case _:
            number = None
    if kind == "quoted":
        written = [delimiter.join(f'"{cell}"' for cell in cells) for cells in lines]
    if kind == "blank":
        written.insert(at, "")
    text = ("\r\n" if kind == "returns" else "\n").join(written) + ("" if kind == "unended" else "\n")
    return ("\ufeff" if kind == "bom" else "") + text, number


def _faulty(name: str, text: str, line: int | None, command: list[str]) -> str:
    """Run a command on a file with a fault: it names the line, or else reads all lines there are."""
    Path(name).write_bytes(text.encode())
    ended = judged(command)
    if line is not None and (ended.code != 2 or not re.search(rf"{name}, line {line}\b", ended.stderr)):
        raise Finding(f"{name}, line {line} is not refused: {command} -> {ended.code}: {ended.stderr[-300:]}")
    if line is None and ended.code not in (0, 1):
        raise Finding(f"{name} is whole and refused: {command} -> {ended.code}: {ended.stderr[-300:]}")
    if "attributes-missing" in ended.stdout or "not in the file of attributes" in ended.stdout:
        raise Finding(f"{name}: attributes were lost: {command} -> {ended.code}: {ended.stdout[-300:]}")
    return ended.word
