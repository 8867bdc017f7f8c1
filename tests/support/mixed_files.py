"""Random small files with quasi-identifiers, sensitive columns, attributes and codebooks,
and what to ask.
"""

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naive.mixed_file import Quasi, Question

_LEVELS = (
    ["1", "2", "3", "4", "5"],
    ["0", "1"],
    ["1", "2"],
    ["0.5", "1", "1.5", "2", "4"],
    ["-3", "-1", "0", "2"],
    ["3"],
    ["1", "1.0", "2", "3"],
)
_MISSING = ["", "", "NA", "N/A", "-99"]
_TOWNS = ["Bern", "Uri", "Zug", "Chur"]
_AGES = ["18", "19", "25", "31", "44", "65"]
_PAYS = ["1", "2", "3", "5", "2.5"]
_SPELLINGS = (
    str.upper,
    lambda text: f" {text}",
    lambda text: f"{text[:1]}\u200b{text[1:]}",
    lambda text: "".join(chr(ord(one) + 0xFEE0) for one in text),
    str.title,
)
_ACCEPTED = ("epsilon-covers-questions", "k-asks-nothing", "identifier-repeats", "nulls-wildcard")


type _Beside = tuple[
    dict[str, list[str]], dict[str, Quasi], dict[str, bool], tuple[str, ...], tuple[str, ...]
]
"""Cells by column; of these the quasi-identifiers, sensitive columns, direct identifiers, dropped
ones.
"""


@dataclass(frozen=True)
class MixedFile:
    """The files that were written, and what is asked of them."""

    data: Path
    question: Question
    attributes: Path | None
    codebook: Path | None

    @property
    def read(self) -> dict[str, Any]:
        """What is said of the columns, as keywords of :func:`ratingpriv.read`."""
        asked, said = self.question, dict[str, Any]()
        if self.codebook is not None:
            said["codebook"] = self.codebook
        else:
            said["quasi"] = [
                name if rule.within is None else f"{name}={rule.within}"
                for name, rule in asked.quasi.items()
            ]
            said["sensitive"] = list(asked.sensitive)
            said["identifier"] = list(asked.identifier)
            if asked.layout == "wide":
                said["others"] = "rating"
            said["null"] = list(asked.missing)
        if self.attributes is not None:
            said["attributes"] = self.attributes
        if asked.layout == "wide":
            said["id"] = "id"
            said["drop"] = list(asked.drop)
        if asked.scale is not None:
            said["scale"] = tuple(map(float, asked.scale))
            said["sensitive_scale"] = {
                name: None for name in asked.sensitive if name in said.get("sensitive", ())
            }
        said["layout"] = asked.layout
        return {name: value for name, value in said.items() if value not in ([], {})}

    @property
    def audit(self) -> dict[str, Any]:
        """What is asked, as keywords of :func:`ratingpriv.audit`."""
        asked = self.question
        demands = {name: getattr(asked, name) for name in ("l", "entropy", "max_share")}
        words: dict[str, Any] = {
            name: float(value) for name, value in demands.items() if value is not None
        }
        if asked.distinct is not None:
            words["distinct"] = asked.distinct
        return {
            "k": asked.k, "epsilon": float(asked.epsilon), "nulls": asked.nulls,
            "sensitive_nulls": asked.sensitive_nulls, "accept": list(asked.accept), **words,
        }  # fmt: skip

    @property
    def options(self) -> list[str]:
        """The same on the command line, behind the name of a command and the data."""
        options: list[str] = []
        for name, value in self.read.items():
            option = f"--{name.replace('_', '-')}"
            if name == "scale":
                options += [option, ":".join(self.question.scale or ())]
            elif name == "sensitive_scale":
                options += [part for one in value for part in (option, f"{one}=any")]
            elif isinstance(value, list):
                options += [part for one in value for part in (option, str(one))]
            else:
                options += [option, str(value)]
        if not self.question.sensitive:
            options.append("--no-sensitive")
        return options

    @property
    def target(self) -> list[str]:
        """What is asked on the command line."""
        asked = self.question
        options = ["--k", str(asked.k), "--epsilon", asked.epsilon, "--nulls", asked.nulls]
        options += [] if asked.l is None else ["--l", asked.l]
        options += ["--set", f"sensitive-nulls={asked.sensitive_nulls}"]
        for name in ("distinct", "entropy", "max_share"):
            if (value := getattr(asked, name)) is not None:
                options += ["--set", f"{name.replace('_', '-')}={value}"]
        return options + [part for code in asked.accept for part in ("--accept", code)]


def mixed_file(seed: int, folder: Path) -> MixedFile:
    """Write the files of a seed and return what is asked of them."""
    return _Drawn(random.Random(seed), folder).file()  # noqa: S311 -- no secret


class _Drawn:
    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        self.gaps = rng.choice([0, 0, 0.05, 0.3, 0.95])
        self.missing = rng.choice([[""], ["", "NA"], _MISSING])

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def file(self) -> MixedFile:
        rng = self.rng
        layout = rng.choice(["wide", "wide", "long"])
        records = rng.choice([1, 2, 3, 4, 6, 9, 14, 60])
        ids = self.ids(records)
        names = [f"q{place}" for place in range(1, rng.choice([1, 1, 2, 3, 4]) + 1)]
        shared = rng.choice(_LEVELS)
        levels = {name: shared if self.chance(0.7) else rng.choice(_LEVELS) for name in names}
        different = rng.randint(1, max(1, records // 2))  # so that records agree
        kinds = [{name: self.cell(levels[name]) for name in names} for _ in range(different)]
        rows = [dict(rng.choice(kinds)) for _ in range(records)]
        beside, quasi, sensitive, identifier, drop = self.beside(records)
        # words need one
        codebook = layout == "wide" and ("illness" in sensitive or self.chance(0.3))
        question = self.question(layout, quasi, sensitive)
        question = dataclasses.replace(question, identifier=identifier, drop=drop)
        question = self.scaled(question, levels, codebook)
        if not codebook:
            bare = {name: Quasi(rule.within) for name, rule in question.quasi.items()}
            question = dataclasses.replace(question, quasi=bare)
        return self.written(layout, ids, rows, beside, question, codebook)

    def ids(self, records: int) -> list[str]:
        ids = [f"u{place}" for place in range(records)]
        if records > 1 and self.chance(0.15):
            ids[self.rng.randrange(1, records)] = self.rng.choice(_SPELLINGS)(ids[0])
        return ids

    def cell(self, levels: Sequence[str]) -> str:
        return self.rng.choice(self.missing) if self.chance(self.gaps) else self.rng.choice(levels)

    def beside(self, records: int) -> _Beside:
        """Draw columns that are no ratings, and their roles."""
        rng, columns = self.rng, dict[str, list[str]]()
        quasi, sensitive, identifier, drop = {}, {}, (), ()

        def column(levels: Sequence[str]) -> list[str]:
            used = rng.sample(list(levels), rng.randint(1, len(levels)))
            return [self.cell(used) for _ in range(records)]

        if self.chance(0.35):
            columns["town"], quasi["town"] = column(_TOWNS), Quasi()
        if self.chance(0.45):
            rules = [
                Quasi(),
                Quasi("1"),
                Quasi("6"),
                Quasi("13"),
                Quasi("1000"),
                Quasi(band=10),
                Quasi(band=100),
            ]
            columns["age"], quasi["age"] = column(_AGES), rng.choice(rules)
        if self.chance(0.45):
            columns["pay"], sensitive["pay"] = column(_PAYS), False
        if self.chance(0.25):
            columns["illness"], sensitive["illness"] = column(["flu", "cold", "none"]), True
        if self.chance(0.25):
            numbers = [f"+41 79 555 {place:04}" for place in range(records)]
            if records > 1 and self.chance(0.5):
                same = ["0041795550000", "079 555 00 00", "+41 (79) 555-0000"]
                numbers[rng.randrange(1, records)] = rng.choice(same)
            name = rng.choice(["phone", "v7"])
            columns[name] = numbers
            identifier, drop = ((name,), ()) if self.chance(0.5) else ((), (name,))
        elif self.chance(0.2):
            columns["email"] = [f"a{place}@x.org" for place in range(records)]
            if records > 1 and self.chance(0.5):
                columns["email"][rng.randrange(1, records)] = rng.choice(
                    ["A0@X.org", "mailto:a0@x.org", ""]
                )
            identifier, drop = (("email",), ()) if self.chance(0.5) else ((), ("email",))
        return columns, quasi, sensitive, identifier, drop

    def question(
        self, layout: str, quasi: dict[str, Quasi], sensitive: dict[str, bool]
    ) -> Question:
        rng = self.rng
        asked: dict[str, Any] = {}
        if sensitive and self.chance(0.7):
            if not all(sensitive.values()):
                asked["l"] = rng.choice([None, None, "0", "0.5", "1"])
            asked["distinct"] = rng.choice([None, None, 1, 2])
            asked["entropy"] = rng.choice([None, None, "1", "1.5", "2"])
            asked["max_share"] = rng.choice([None, None, "1", "0.5", "0.7"])
        return Question(
            layout=layout,
            k=rng.choice([1, 2, 2, 2, 3, 5]),
            epsilon=rng.choice(["0", "0", "0.5", "1", "1", "2", "5", "6"]),
            nulls=rng.choice(["strict", "strict", "wildcard", "known"]),
            sensitive_nulls=rng.choice(["paper", "paper", "ignore"]),
            quasi=quasi,
            sensitive=sensitive,
            missing=("-99",) if "-99" in self.missing else (),
            accept=tuple(code for code in _ACCEPTED if self.chance(0.15)),
            **asked,
        )

    def scaled(self, question: Question, levels: dict[str, list[str]], codebook: bool) -> Question:
        """Declare a scale, or some of a codebook."""
        more = self.rng.choice([0, 0, 1, 5])

        def ends(names: Sequence[str]) -> tuple[str, str]:
            numbers = [float(one) for name in names for one in levels[name]]
            least, most = min(numbers) - more, max(numbers) + more
            return f"{least:g}", f"{most + (least == most):g}"

        if self.chance(0.35):
            return dataclasses.replace(question, scale=ends([*levels]))
        if codebook and self.chance(0.5):
            some = [name for name in levels if self.chance(0.6)]
            return dataclasses.replace(question, scales={name: ends([name]) for name in some})
        return question

    def written(
        self, layout: str, ids: list[str], rows: list[dict[str, str]], beside: dict[str, list[str]],
        question: Question, codebook: bool,
    ) -> MixedFile:  # fmt: skip
        data, attributes, book = self.folder / "data.csv", None, None
        if layout == "wide":
            names = ["id", *rows[0], *beside]
            self.rng.shuffle(names)
            cells = [
                {"id": one, **row, **{name: of[place] for name, of in beside.items()}}
                for place, (one, row) in enumerate(zip(ids, rows, strict=True))
            ]
            _write(data, names, cells)
        else:
            question, attributes = self.long(data, ids, rows, beside, question)
        if codebook:
            book = self.folder / "book.toml"
            book.write_text(_codebook(question, [*rows[0]]), encoding="utf-8")
        return MixedFile(data, question, attributes, book)

    def long(
        self, data: Path, ids: list[str], rows: list[dict[str, str]], beside: dict[str, list[str]],
        question: Question,
    ) -> tuple[Question, Path | None]:  # fmt: skip
        triples = [
            {"user": one, "item": name, "rating": cell}
            for one, row in zip(ids, rows, strict=True)
            for place, (name, cell) in enumerate(row.items())
            if place == 0 or cell or self.chance(0.5)
        ]
        _write(data, ["user", "item", "rating"], triples)
        question = dataclasses.replace(question, drop=())
        if not (question.quasi or question.sensitive):
            return dataclasses.replace(question, identifier=()), None
        left = [place for place in range(len(ids)) if place == 0 or not self.chance(0.05)]
        people = [
            {"user": ids[place], **{name: of[place] for name, of in beside.items()}}
            for place in left
        ]
        _write(self.folder / "people.csv", ["user", *beside], people)
        dropped = tuple(name for name in beside if name in ("phone", "v7", "email"))
        return dataclasses.replace(
            question, identifier=(), drop=dropped
        ), self.folder / "people.csv"


def _write(path: Path, names: Sequence[str], rows: Sequence[dict[str, str]]) -> None:
    lines = [",".join(names), *(",".join(row[name] for name in names) for row in rows)]
    path.write_bytes(("\n".join(lines) + "\n").encode("utf-8"))


def _codebook(question: Question, questions: Sequence[str]) -> str:
    lines = ["[data]", 'others = "rating"']
    if question.missing:
        lines.append(f"missing = {list(question.missing)}")
    for name, rule in question.quasi.items():
        lines += [f"[columns.{name}]", 'role = "quasi"']
        lines += [f"within = {rule.within}"] if rule.within is not None else []
        lines += [f"band = {rule.band}"] if rule.band is not None else []
    for name, nominal in question.sensitive.items():
        lines += [
            f"[columns.{name}]",
            'role = "sensitive"',
            f'kind = "{"nominal" if nominal else "numeric"}"',
        ]
        lines += [] if nominal else ['scale = "0:9"']
    for name in question.identifier:
        lines += [f"[columns.{name}]", 'role = "identifier"']
    for name in questions:
        lines += [f"[columns.{name}]", 'role = "rating"']
        if name in question.scales:
            lines.append(f'scale = "{":".join(question.scales[name])}"')
    return "\n".join(lines) + "\n"
