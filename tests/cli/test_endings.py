"""How a process ends: signals, closed pipes, full disks, mistakes of ours."""

import os
import signal
import subprocess
import sys

import pytest

SIGNALS = pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110


@SIGNALS
def test_interrupted_while_reading(environment, tmp_path, number, code, said):
    fifo = tmp_path / "data.csv"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "ratingpriv", "audit", fifo, "--k", "2", "--epsilon", "1"]
    command += ["-o", tmp_path / "out.json", "--format", "delimited"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with fifo.open("wb"):  # waits until the process has opened it to read, and then it waits for us
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert out == ""
    assert err == f"ratingpriv: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@SIGNALS
def test_interrupted_before_anything_is_imported(environment, number, code, said):
    program = f"""
import os, sys
from ratingpriv.__main__ import main
class Slow:
    def find_spec(self, name, *_):
        if name == "ratingpriv.cli":
            assert "typer" not in sys.modules
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, Slow())
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (code, f"ratingpriv: {said}\n")


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here")  # noqa: PTH110
def test_a_disk_that_fails_under_the_input_is_not_standard_output(cli):
    ended = cli("audit", "/proc/self/mem", "--k", 2, "--epsilon", 1, "--format", "delimited")
    assert ended.exit_code == 3
    assert ended.stderr == (
        "ratingpriv: error: /proc/self/mem: reading it failed (Input/output error); check the "
        "disk or the "
        "connection it is on\n"
    )


@pytest.mark.parametrize("json", [["--json"], []])
def test_a_reader_that_goes_away(environment, table_file, json):
    asked = ["audit", table_file(1), "--k", "2", "--epsilon", "1", "-q", *json]
    command = [sys.executable, "-m", "ratingpriv", *asked]
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            command, env=environment, stdout=write, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.deep
@needs_full
@pytest.mark.parametrize(
    "args", [["audit", "DATA", "--k", "2", "--epsilon", "1", "-q"], ["version"], ["doctor"]]
)
def test_a_full_disk_behind_stdout(process, environment, table_file, args):
    environment["SPARK_REMOTE"] = "sc://elsewhere"  # Spark is not tried then: tests/spark does
    args = [str(table_file(1)) if arg == "DATA" else arg for arg in args]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ended = process(
            *args, env=environment, capture_output=False, stdout=full, stderr=subprocess.PIPE
        )
    assert ended.returncode == 3
    assert (
        ended.stderr.splitlines()[-1]
        == "ratingpriv: error: standard output: No space left on device"
    )
    assert "Traceback" not in ended.stderr


@pytest.mark.deep
@needs_full
@pytest.mark.parametrize(
    ("more", "said"), [((), ""), (("--json",), ""), (("--key", "r.key"), ", and its key r.key")]
)
def test_a_release_is_there_though_nothing_can_be_printed(
    process, table_file, tmp_path, more, said
):
    words = ("--k", 2, "--epsilon", 6, "--method", "suppress", "-q", "-o", "r.csv", *more)
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ended = process(
            "anonymize", "--accept", "found", table_file(2), *words, cwd=tmp_path,
            capture_output=False, stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert ended.returncode == 3
    error = (
        "standard output: No space left on device; the release r.csv and its manifest were written"
    )
    assert ended.stderr == f"ratingpriv: error: {error}{said}\n"
    assert process("verify", "r.csv", cwd=tmp_path).stdout.startswith("VALID WITH RESERVATION: ")


@needs_full
def test_a_full_disk_behind_an_output(process, table_file):
    ended = process("audit", table_file(1), "--k", "2", "--epsilon", "1", "-q", "-o", "/dev/full")
    assert ended.returncode == 3
    assert "/dev/full: No space left on device" in ended.stderr


def test_stdout_may_be_closed(environment, table_file):
    command = 'exec "$0" -m ratingpriv audit "$1" --k 2 --epsilon 0 >&-'
    shell = ["/bin/sh", "-c", command, sys.executable, str(table_file(1))]
    ended = subprocess.run(shell, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, "rror" in ended.stderr) == (1, False)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_output_that_knows_no_epsilon(process, environment, table_file, tmp_path, options):
    data = table_file(1).rename(tmp_path / "ε.csv")
    asked = ("audit", data, "--k", "2", "--epsilon", "0", *options)
    ended = process(*asked, env={**environment, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 1
    assert r"\u03b5.csv" in ended.stdout


def test_a_traceback_is_shown_whenever_the_message_says_so(cli, tmp_path, monkeypatch):
    """Also where things go wrong before any option is taken apart."""

    def broken(*_):
        raise AttributeError("a mistake of ours")

    monkeypatch.setattr("ratingpriv.cli.command.note_trust", broken)
    ended = cli("audit", tmp_path / "x.csv", "--k", 2, "--epsilon", 1)
    assert (ended.exit_code, "run again with -v" in ended.stderr) == (3, True)
    for word in ("-v", "--verbose"):
        ended = cli("audit", tmp_path / "x.csv", "--k", 2, "--epsilon", 1, word)
        assert ended.exit_code == 3
        assert "Traceback (most recent call last)" in ended.stderr
        assert "run again" not in ended.stderr


def test_without_docstrings_commands_work(process, environment, table_file):
    """PYTHONOPTIMIZE=2 takes them away."""
    asked = ("audit", table_file(1), "--k", 2, "--epsilon", 5, "--sensitive", "issue 4", "--quiet")
    plain, bare = process(*asked), process(*asked, env={**environment, "PYTHONOPTIMIZE": "2"})
    assert (bare.returncode, bare.stdout, bare.stderr) == (
        plain.returncode,
        plain.stdout,
        plain.stderr,
    )
    ended = process("audit", "--help", env={**environment, "PYTHONOPTIMIZE": "2"})
    assert (ended.returncode, "--epsilon" in ended.stdout) == (0, True)
