"""The commands that write, and what they may leave."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["COMMANDS", "Command"]

TARGET = "--k 2 --epsilon 1 --scale 1:5"
K = f"{TARGET} --others rating"
SENSITIVE = "--sensitive pay"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, run in a folder with inputs.

    Attributes
    ----------
    name : what the table calls it
    arguments : as typed
    outputs : names of what it writes, each with how it is judged: "same", "release", "key",
        "store", "folder", "journal", "record" (of a command of several steps, which leaves those
        that are done)
    before : commands that make what is there before
    code : the exit code of a run that is left in peace
    """

    name: str
    arguments: str
    outputs: dict[str, str]
    before: tuple[str, ...] = ()
    code: int = 0
    inputs: Callable[[Path], None] = field(default=lambda folder: write_inputs(folder))


def write_inputs(folder: Path) -> None:
    """Write wide.csv (12 records, 3 issues, one sensitive), long.csv of the same."""
    draw = random.Random(7)
    rows = [
        (f"p{i}", *(draw.randint(1, 3) for _ in range(3)), draw.randint(1, 5)) for i in range(12)
    ]
    names = ("q1", "q2", "q3", "pay")
    lines = ["user," + ",".join(names), *(",".join(map(str, row)) for row in rows)]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    cells = [
        f"{row[0]},{name},{cell}" for row in rows for name, cell in zip(names, row[1:], strict=True)
    ]
    (folder / "long.csv").write_text(
        "\n".join(["user,item,rating", *cells]) + "\n", encoding="utf-8"
    )


def write_experiment(folder: Path) -> None:
    """Write experiment.toml beside wide.csv: two cells."""
    write_inputs(folder)
    (folder / "experiment.toml").write_text(
        'k = 2\nepsilon = 1\nseeds = 2\nmeasures = ["audit"]\n[data.wide]\npath = "wide.csv"\n'
        "scale = [1, 5]\n[method.suppress]\n",
        encoding="utf-8",
    )


def write_run(folder: Path) -> None:
    """Write survey.toml beside wide.csv: an audit, a release and its verification."""
    write_inputs(folder)
    target = "k = 2\nepsilon = 1\n"
    (folder / "survey.toml").write_text(
        '[data]\nscale = "1:5"\nothers = "rating"\n'
        '[run]\ndata = "wide.csv"\noutput = "."\ngates = ["anonymize"]\n'
        f'steps = ["audit", "anonymize", "verify"]\n[audit]\n{target}'
        f'[anonymize]\n{target}method = "suppress"\norder-seed = 5\n',
        encoding="utf-8",
    )


def write_query(folder: Path) -> None:
    """Write mark.cypher beside them."""
    write_inputs(folder)
    text = (
        "MATCH (r:Record {dataset: $dataset})-[p:PROXIMATE]->(o) SET r.seen = true RETURN r, p, o"
    )
    (folder / "mark.cypher").write_text(text, encoding="utf-8")


def _anonymize(
    name: str, data: str, release: str, more: str = "", *, method: str, replaced: bool = False
) -> Command:
    asked = TARGET if data == "long.csv" else K
    line = f"anonymize {data} {asked} --method {method} -o {release} --order-seed 5 {more}"
    outputs = {release: "release", f"{release}.manifest.json": "manifest"}
    if "--key" in more:
        outputs["r.key"] = "key"
    old = (
        f"anonymize {data} --k 1 --epsilon 1 --scale 1:5 --method suppress -o {release} "
        f"--order-seed 5"
    )
    if "--sensitive" in more:
        old += f" {SENSITIVE}"
    return Command(
        f"anonymize, {name}",
        line + (" --force" if replaced else ""),
        outputs,
        (old,) if replaced else (),
    )


def same(names: str) -> dict[str, str]:
    """Outputs that are the same bytes at each run."""
    return dict.fromkeys(names.split(), "same")


_STORE = "--store embedded:s.grafeo"
_INGEST = f"ingest wide.csv --epsilon 1 --scale 1:5 --dataset d {_STORE}"
_OF_RUN = {
    **same("audit.txt verify.txt anonymize.txt"),
    **dict.fromkeys(("audit.json", "verify.json", "anonymize.json", "run.json"), "record"),
    "release.csv": "release",
    "release.csv.manifest.json": "manifest",
    "release.key": "key",
}
_OF_FIGURE = same("figures/ns08-2.svg figures/ns08-2.pdf figures/ns08-2.csv figures/figures.md")

COMMANDS = (
    Command("audit -o", f"audit wide.csv {K} -o a.json --plot a.svg", same("a.json a.svg"), code=1),
    Command(
        "audit -o --per-record, replaced",
        f"audit wide.csv {K} {SENSITIVE} -o a.json --per-record b.parquet --force",
        same("a.json b.parquet"),
        ("audit wide.csv --k 1 --epsilon 2 --scale 1:5 -o a.json --per-record b.parquet",),
        code=1,
    ),
    Command(
        "verify --junit, replaced",
        "verify r.csv --junit j.xml --force",
        {"j.xml": "same", "r.csv": "release", "r.csv.manifest.json": "manifest"},
        (
            f"anonymize wide.csv {K} --method suppress -o r.csv --order-seed 5",
            "audit wide.csv --k 1 --epsilon 1 --scale 1:5 --junit j.xml",
        ),
    ),
    Command(
        "frontier", "frontier wide.csv --scale 1:5 -o f.json --plot f.svg", same("f.json f.svg")
    ),
    Command(
        "partition",
        f"partition wide.csv {K} --groups g.csv --certificate c.json -o p.json --plot p.svg",
        same("g.csv c.json p.json p.svg"),
        code=1,
    ),
    _anonymize("new, wide, key", "wide.csv", "r.csv", f"--key r.key {SENSITIVE}", method="modify"),
    _anonymize(
        "replaced, wide, key",
        "wide.csv",
        "r.csv",
        f"--key r.key {SENSITIVE}",
        method="modify",
        replaced=True,
    ),
    _anonymize("new, suppress, long, key", "long.csv", "r.csv", "--key r.key", method="suppress"),
    _anonymize("new, Parquet, key", "wide.csv", "r.parquet", "--key r.key", method="modify"),
    _anonymize(
        "replaced, gz, key", "long.csv", "r.csv.gz", "--key r.key", method="suppress", replaced=True
    ),
    Command(
        "attack",
        "attack wide.csv --adversary colleague --seed 1 --sweep known=1,2 -o t.json --plot t.svg",
        same("t.json t.svg"),
    ),
    Command(
        "utility",
        "utility wide.csv wide.csv --scale 1:5 --truth ids -o u.json --questions q.csv "
        "--plot u.svg",
        same("u.json q.csv u.svg"),
    ),
    Command(
        "recommend",
        f"recommend wide.csv {K} --found-at-most 0.9 --method modify -o c.csv --plot c.svg",
        same("c.csv c.svg"),
    ),
    Command("report", f"report wide.csv {K} --skip attack -o t.html", same("t.html"), code=1),
    Command("run", "run survey.toml --quiet", _OF_RUN, inputs=write_run),
    Command(
        "experiment",
        "experiment experiment.toml -o e.csv --intervals m.parquet",
        {**same("e.csv m.parquet"), "e.csv.journal": "journal"},
        inputs=write_experiment,
    ),
    Command(
        "reproduce",
        "reproduce ns08-2 --quick -o figures",
        {**_OF_FIGURE, "figures/ns08-2.json": "record"},
    ),
    Command("synthesize .csv", "synthesize -o n.csv --records 50 --items 4", same("n.csv")),
    Command("ingest --offline", _INGEST.replace(_STORE, "--offline import"), {"import": "folder"}),
    Command("ingest embedded, new", _INGEST, {"s.grafeo": "store"}),
    Command(
        "ingest embedded, replaced",
        _INGEST.replace("epsilon 1", "epsilon 2"),
        {"s.grafeo": "store"},
        (_INGEST,),
    ),
    Command(
        "query run, own, writing, -o --picture",
        f"query run mark.cypher --dataset d --write {_STORE} -o q.parquet --picture q.svg",
        {"s.grafeo": "store", **same("q.parquet q.svg")},
        (_INGEST,),
        inputs=lambda folder: write_query(folder),
    ),
    Command(
        "store export",
        f"store export d -o d.graphml {_STORE}",
        {"s.grafeo": "store", "d.graphml": "same"},
        (_INGEST,),
    ),
    Command("store drop", f"store drop d --yes {_STORE}", {"s.grafeo": "store"}, (_INGEST,)),
)
