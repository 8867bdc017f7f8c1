"""What is refused: exit code 2, one message that names the option,
nothing printed and nothing written.

A line a kind: which values a parameter takes is decided in the library's tests and in
``test_values``.
"""

import json
import shlex

import pytest

from cli.conftest import TABLES

UNREAD = {  # no.csv is not there, and not said to be missing: the options are looked at first
    "audit no.csv --k 2 --epsilon 1": r"""
        --k => --k: not given, expected a value;
        --epsilonn => option: found '--epsilonn', expected an option of ratingpriv audit;
        --nulls loose => strict, wildcard
        --scale 5:1 => MIN:MAX
        --set memory=lots => 4GiB
        --output - => --json
        --output out.html.gz => expected a file name ending in .html
        --output no/such/folder/x => does not exist
        --output . => directory
        --per-record x.xlsx => .csv or .parquet
        --junit x.md --output x.md => another file
        --junit - => the name of a file
        --plot p.svg --set plot-kind=exposure => found 'exposure', expected --exposure E beside it
        --set plot-kind=sizes => a --plot FILE to draw to
        --set max-share=2 => max-share: found '2', expected a rate from 0 to 1
        --set thread=2 => found 'thread=2', expected NAME=VALUE with a NAME that --help-data lists; did
        --set threads=1 --set threads=2 => expected one value of threads
        --set threads=1 --threads 2 => threads: found '--threads beside --set', expected one of
        --engine spark --exposure 1 => no --exposure
        --engine spark --per-record out.csv => ends in .parquet
        --engine spark --set spark-conf=spark.ui.port => K=V
        --engine pairwise --set spark-master=local[2] => without --engine spark
        """,
    "audit --k 2 --epsilon 1": """
        => DATA, or --dataset NAME of a graph store
        -- --json => --json: found no such file
        --dataset d --sensitive s => sensitive: found 'with --dataset'
        --dataset d --codebook no.toml => --codebook
        """,
    "describe": """
        => DATA: not given, expected DATA; ratingpriv describe --help
        """,
    "frontier no.csv": """
        --nulls known => expected one of strict, wildcard; known is asymmetric
        --rows 1 => rows:
        --junit x.xml => a gate whose outcome it is
        """,
    "partition no.csv": """
        --k 2 --epsilon 1 --nulls known => expected one of strict, wildcard; known is asymmetric
        --epsilon 1 => k:
        --k 2 --epsilon 1 --groups x -o x => groups:
        --check nowhere.json => check:
        --check nowhere.json --groups g.csv => groups:
        """,
    "anonymize no.csv --method suppress --k 2 -o r.csv": """
        => suppress has to be told the rating distance
        --epsilon 1 --method hide => one of modify, suppress
        --epsilon 1 --nulls known => expected one of strict, wildcard; known is asymmetric
        --epsilon 1 --strip-ids --keep-ids => keep-ids: found 'with --strip-ids', expected one of the two
        --epsilon 1 --known 2 => known: found 2, expected not to be given: suppress has no such option
        --epsilon 1 --set output-format=excel => one of delimited, movielens, parquet
        --epsilon 1 --publish-utility bias --utility none => a measure that is measured
        --epsilon 1 --plot r.svg -o r.svg => another file than the release
        --epsilon 1 --plot p.svg --set plot-kind=questions => --utility all beside it
        --method predictive --set diversity=2 => B:L
        --method predictive --keep-timestamps => timestamps are not released
        """,
    "attack no.csv --known 3": """
        --known most => a whole number >= 1, or all
        --targets 3 --target r1 => one of the two
        --fail-above 5 => a rate from 0 to 1
        --sweep known => NAME=VALUE
        --sweep seed=1,2 => known, wrong
        --truth ids => --release
        --release r.csv => truth
        --plot f.svg --set plot-kind=sweep => --sweep beside it
        --junit x.xml => a gate whose outcome it is
        """,
    "utility no.csv r.csv --measure bias": """
        --junit x.xml => a gate whose outcome it is: --require
        --require bias => quote it
        --questions q.csv => --measure questions
        --plot p.svg --set plot-kind=loss => --measure information_loss beside it
        --truth nowhere.key => nowhere.key
        """,
    "recommend no.csv": """
        --journal ./same.csv -o same.csv => another file
        --found-at-most 1 => below 1
        --found-at-most 0 => above 0
        --withhold-at-most 1 => below 1
        --guessed-at-most commonest => commonest+0.1
        --method blank => modify
        --k 51 => 50
        """,
    "report": """
        -o x.html => DATA
        no.csv -o x.html => --k
        no.csv --k 3 --epsilon 1 => -o FILE.html
        no.csv --k 3 --epsilon 1 -o x.docx => ends in .html or .pdf
        --from none.json -o x.html => none.json
        """,
    "ingest no.csv": """
        --nulls known => it has no pairs, hence no partition; audit and exposure know it
        --edges at-risk => --edges at-risk needs --k
        --k 3 => say --edges at-risk
        --pseudonymize none => head -c 32 /dev/urandom
        --store embedded::memory: => name a file
        --run one => --run together with --release-of
        --key x => --key together with --release-of
        --release-of o => --run RUN, the release's name
        --release-of o --run a --dataset x => goes in as o/a
        """,
    "query": """
        lst => command: found 'lst', expected a command of ratingpriv query; did you mean list?
        run audit/degree-chek => did you mean audit/degree-check
        run load/remove-nodes -p key=x -p most=5 => a part of ratingpriv ingest
        run audit/degree-check --dataset d -p epsilon=1 -p k=five => k: found 'five', expected a whole number
        run audit/degree-check --dataset d -p epsilom=1 -p k=5 => did you mean epsilon?
        run audit/degree-check --dataset d -p epsilon=1 -p k=5 -p k=6 => every parameter once
        run audit/degree-check --dataset d -p dataset=e => every parameter once
        run audit/degree-check --dataset d --csv --json => one of the two
        run audit/degree-check --dataset d --csv --show 5 => --csv
        run audit/record-ids --dataset d -o rows.txt => a file name ending in .csv, .json or .parquet
        run audit/record-ids --dataset d --ids => expected --picture
        """,
    "reproduce": """
        => figure
        swlz11-3 --quick -o tour.html => the name of a folder
        swlz11-3 --data survey => NAME=PATH
        swlz11-3 --data survey=nowhere.csv => there
        """,
    "synthesize": """
        => -o survey.csv
        -o x.csv --model nobody => one of the models
        -o x.xlsx => x.xlsx
        """,
    "": """
        audit absent.parquet --k 2 --epsilon 1 --engine spark => no such file
        audit - --k 2 --epsilon 1 --engine spark => a folder or a URI
        audit "" --k 2 --epsilon 1 => data: found '', expected the name of a file or folder
        audit no.csv --k 2 --epsilon 1 -o - => output: found '-', expected the name of a file or folder
        run /dev/zero => /dev/zero: found no file to be read, expected a codebook with [run]
        experiment /dev/zero -o x.csv => expected a specification in TOML
        query run - -o - => output: found '-', expected the name of a file or folder
        demo -o - => output: found '-', expected the name of a file or folder
        audit no.csv --k 2 => epsilon: not given, expected --epsilon E; ratingpriv audit --help
        audti => did you mean audit?
        demo -o tour.html => the name of a folder
        explain no.csv --record t2 --k 3 --epsilon 1 => show: not given, expected it, or only -o FILE
        schema adit => did you mean ratingpriv.audit/1?
        store export d -o g.gexf => a file name ending in .graphml
        """,
}

READ = {
    "audit data.csv --k 2 --epsilon 1": """
        --dataset d => either DATA or --dataset
        --sample 99 => sample: found
        --items @/dev/zero => a name a line; a file of
        --codebook /dev/zero => /dev/zero:
        --known 1 --at-most 1% => at-most
        """,
    "anonymize data.csv --k 2 --epsilon 1 --method suppress -o r.csv": """
        -o r.html => one of the formats delimited, movielens, parquet
        --force -o sub/../data.csv => this is the input
        """,
    "attack data.csv": """
        --known 2 --target r99 => ids of the 6 records
        --known 2 --release no.csv --truth ids => no.csv
        --aux no.csv => no.csv
        """,
    "ingest data.csv --epsilon 9": """
        --max-edges 3 => expected at most 3; ways out: --max-edges
        --sensitive "nobody knows it" => nobody knows it
        """,
    "": """
        anonymize bad.csv --k 2 --epsilon 1 --method suppress -o r.csv => bad.csv, line 2
        describe data.csv --sample 5 => sample
        describe long.csv => one row per rating
        frontier data.csv --k 2 --recode => expected a codebook
        partition data.csv --check empty.json => empty.json
        report --from data.csv -o x.html => no JSON
        report data.csv --k 3 --epsilon 1 -o data.csv => data.csv
        """,
}


def lines(table):
    return [
        f"{begun} {line.strip()}" for begun in table for line in table[begun].strip().splitlines()
    ]


@pytest.fixture
def refused(cli, tmp_path, monkeypatch):
    """Type a line, of which nothing is left; gives the message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RATINGPRIV_STORE", raising=False)

    def run(line):
        typed, said = line.split("=> ")
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        ended = cli(*shlex.split(typed))
        assert ended.exit_code == 2, ended.stderr
        assert ended.stdout == "" or json.loads(ended.stdout)["code"] == "parameter"
        assert [line[:19] for line in ended.stderr.splitlines()].count("ratingpriv: error: ") == 1
        assert said in " ".join(ended.stderr.split())
        assert "Errno" not in ended.stderr
        assert {
            path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()
        } == before
        return ended.stderr

    return run


@pytest.mark.parametrize("line", lines(UNREAD))
def test_before_anything_is_read(refused, line):
    assert "no.csv" not in refused(line)


@pytest.mark.parametrize("line", lines(READ))
def test_with_the_data(refused, tmp_path, line):
    files = {"data.csv": TABLES[2], "bad.csv": "id,a,b\nx,1,one\ny,2,3\n", "empty.json": "{}"}
    for name, text in (files | {"long.csv": "user,item,rating\n1,a,3\n1,b,4\n2,a,3\n"}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "sub").mkdir()
    refused(line)
