"""How a process ends: signals, closed pipes, full disks, mistakes of ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from fuzz import interrupts
from fuzz.companions import DATA

from ratingpriv.cli.output import signals
from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.signals import Interrupted, catch_signals, settle
from ratingpriv.errors import DataError, Problem, ResourceError, TargetNotReachedError

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110


def press_until_it_ends(process, number):
    """Send a signal; again where it came just before a blocking read, which Python cannot notice."""
    for _ in range(30):
        process.send_signal(number)
        try:
            return process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    raise AssertionError("the process does not end")


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_interrupted_while_reading(environment, tmp_path, number, code, said):
    fifo = tmp_path / "data.csv"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "ratingpriv", "audit", fifo, "--k", "2", "--epsilon", "1"]
    command += ["-o", tmp_path / "out.json", "--format", "delimited"]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with fifo.open("wb"):  # waits until the process has opened it to read, and then it waits for us
        out, err = press_until_it_ends(process, number)
    assert process.returncode == code
    assert out == ""
    assert err == f"ratingpriv: {said}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_polars_does_not_make_a_blocking_read_deaf_to_ctrl_c(environment):
    program = """
import os, signal, threading
from ratingpriv.cli.output.exits import ending, keep_interruptible
from ratingpriv.cli.output.signals import catch_signals
with ending():
    catch_signals()
    import polars
    keep_interruptible()
    reader, writer = os.pipe()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    os.read(reader, 1)
"""
    ended = subprocess.run([sys.executable, "-c", program], env=environment, timeout=60, check=False)
    assert ended.returncode == 130


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_while_writing(environment, tmp_path, number, code):
    program = f"""
import os, pathlib
from ratingpriv.cli.output.exits import ending
from ratingpriv.cli.output.signals import catch_signals
from ratingpriv.files import replacing
with ending():
    catch_signals()
    with replacing("out") as temporary:
        temporary.write_text("half")
        os.kill(os.getpid(), {int(number)})
        for _ in range(10**9): pass
"""
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=False)
    assert ended.returncode == code
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def caught():
    """Signals are caught as in the program, and afterwards as before."""
    kept = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    hook = sys.unraisablehook
    catch_signals()
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in kept:
        signal.signal(number, handler)
    sys.unraisablehook = hook


def press_in(folder, monkeypatch, source, waiting="import time; time.sleep(30)"):
    """Run ``source``, a module that presses Ctrl-C on itself; then wait until it has come."""
    ours = "import os\n__name__ = '__main__'"  # where a signal need not wait, but for the import
    (folder / "pressing_module.py").write_text(f"{ours}\n{source}\ndone = True\n", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "pressing_module", raising=False)
    with pytest.raises(SystemExit) as stop, ending():
        exec(f"import pressing_module\n{waiting}", {"__name__": "__main__"})  # noqa: S102
    return stop.value.code


@pytest.mark.usefixtures("caught")
def test_an_import_is_finished_before_ctrl_c(tmp_path, monkeypatch, capsys):
    assert (
        press_in(tmp_path, monkeypatch, f"os.kill(os.getpid(), {int(signal.SIGINT)})\nlist(range(99))") == 130
    )
    assert sys.modules["pressing_module"].done
    assert capsys.readouterr().err == "ratingpriv: interrupted\n"


@pytest.mark.usefixtures("caught")
def test_ctrl_c_in_a_finaliser_is_not_lost(tmp_path, monkeypatch, capsys):
    finaliser = f"""
class Swallowing:
    def __del__(self):
        import os, ratingpriv.cli.output.signals as signals
        os.kill(os.getpid(), {int(signal.SIGINT)})
        for _ in range(1000): pass
"""
    waiting = "import pressing_module, time\npressing_module.Swallowing()\ntime.sleep(30)"
    assert press_in(tmp_path, monkeypatch, finaliser, waiting) == 130
    assert capsys.readouterr().err == "ratingpriv: interrupted\n"


@pytest.mark.usefixtures("caught")
def test_ctrl_c_when_all_is_done_changes_nothing():
    settle()
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_interrupted_before_anything_is_imported(environment, number, code, said):
    program = f"""
import os, sys
from ratingpriv.__main__ import main
class Slow:
    def find_spec(self, name, *_):
        if name == "ratingpriv.cli":
            assert "click" not in sys.modules
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, Slow())
main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (code, f"ratingpriv: {said}\n")


@pytest.mark.parametrize("name", ["audit", "partition", "anonymize", "attack"])
def test_ctrl_c_at_a_few_moments(tmp_path, monkeypatch, name):
    """The long form is ``make fuzz KINDS=interrupts,processes``."""
    for share in (0.0, 0.02, 0.05, 0.1):
        folder = tmp_path / str(share)
        folder.mkdir()
        monkeypatch.chdir(folder)
        for file in ["d.csv"]:
            (folder / file).write_text(DATA, encoding="utf-8")
        code, words = interrupts.pressed(name, share)
        assert code in (0, 1, 130)
        assert [line for line in words.splitlines() if not line.startswith("ratingpriv: ")] == []
        assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="no /proc here")  # noqa: PTH110
def test_a_disk_that_fails_under_the_input_is_not_standard_output(cli):
    ended = cli("audit", "/proc/self/mem", "--k", 2, "--epsilon", 1, "--format", "delimited")
    assert ended.exit_code == 3
    assert ended.stderr == (
        "ratingpriv: error: /proc/self/mem: reading it failed (Input/output error); check the disk or the "
        "connection it is on\n"
    )


@pytest.mark.parametrize("json", [["--json"], []])
def test_a_reader_that_goes_away(environment, table_file, json):
    command = [
        sys.executable,
        "-m",
        "ratingpriv",
        "audit",
        table_file(1),
        "--k",
        "2",
        "--epsilon",
        "1",
        "-q",
        *json,
    ]
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
    environment = {
        **environment,
        "SPARK_REMOTE": "sc://elsewhere",
    }  # Spark is not tried then: tests/spark does
    args = [str(table_file(1)) if arg == "DATA" else arg for arg in args]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ended = process(*args, env=environment, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 3
    assert ended.stderr.splitlines()[-1] == "ratingpriv: error: standard output: No space left on device"
    assert "Traceback" not in ended.stderr


@pytest.mark.deep
@needs_full
@pytest.mark.parametrize(
    ("more", "said"), [((), ""), (("--json",), ""), (("--key", "r.key"), ", and its key r.key")]
)
def test_a_release_is_there_though_nothing_can_be_printed(process, table_file, tmp_path, more, said):
    words = ("--k", 2, "--epsilon", 6, "--method", "suppress", "-q", "-o", "r.csv", *more)
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ended = process(
            "anonymize", table_file(2), *words, cwd=tmp_path,
            capture_output=False, stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert ended.returncode == 3
    error = "standard output: No space left on device; the release r.csv and its manifest were written"
    assert ended.stderr == f"ratingpriv: error: {error}{said}\n"
    assert process("verify", "r.csv", cwd=tmp_path).stdout.startswith("VALID, but ")


@needs_full
def test_a_full_disk_behind_an_output(process, table_file):
    ended = process("audit", table_file(1), "--k", "2", "--epsilon", "1", "-q", "-o", "/dev/full")
    assert ended.returncode == 3
    assert "/dev/full: No space left on device" in ended.stderr


def test_stdout_may_be_closed(environment, table_file):
    command = 'exec "$0" -m ratingpriv audit "$1" --k 1 --epsilon 1 --accept k-asks-nothing >&-'
    shell = ["/bin/sh", "-c", command, sys.executable, str(table_file(1))]
    ended = subprocess.run(shell, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    assert (ended.returncode, "rror" in ended.stderr) == (0, False)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_output_that_knows_no_epsilon(process, environment, table_file, tmp_path, options):
    data = table_file(1).rename(tmp_path / "ε.csv")
    asked = ("audit", data, "--k", "1", "--epsilon", "1", "--accept", "k-asks-nothing", *options)
    ended = process(*asked, env={**environment, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 0
    assert r"\u03b5.csv" in ended.stdout


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (DataError(Problem("f", "x", "y", line=3)), 2, "f, line 3: found x, expected y"),
        (ResourceError("disk"), 3, "disk"),
        (TargetNotReachedError("no"), 1, "no"),
        (MemoryError(), 3, "out of memory"),
        (FileNotFoundError(2, "No such file or directory", "f"), 2, "f: No such file"),
        (PermissionError(13, "Permission denied", "f"), 2, "f: Permission denied"),
        (OSError(28, "No space left on device"), 3, "No space left"),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("oh"), 3, "unexpected ZeroDivisionError; run again with -v"),
        (type("PanicException", (BaseException,), {})("polars"), 3, "unexpected PanicException; run again"),
    ],
)
def test_codes_and_messages(capsys, error, code, message):
    with pytest.raises(SystemExit) as stop, ending():
        raise error
    assert stop.value.code == code
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == (1 if message else 0)


def test_verbose_shows_the_traceback(capsys):
    with pytest.raises(SystemExit), ending(verbose=True):
        raise ZeroDivisionError
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_mistake_of_ours_is_no_verdict(cli, table_file, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(sys.modules["ratingpriv.audit"], "audit", broken)  # where the command takes it from
    ended = cli("audit", table_file(1), "--k", 2, "--epsilon", 1)
    assert ended.exit_code == 3
    assert "Traceback" not in ended.stderr


def test_a_signal_that_compiled_code_makes_another_of_is_still_itself():
    """pyo3 and Cython may call the class with the exception, with its text or with nothing."""
    for number in (signal.SIGINT, signal.SIGTERM):
        first = Interrupted(number)
        assert [one.number for one in (first, Interrupted(first), Interrupted(str(first)))] == [number] * 3
    assert Interrupted().number == signal.SIGINT


class PanicException(BaseException):
    """What pyo3 makes of a panic of compiled code, into which a signal came."""


@pytest.mark.parametrize(("number", "said"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_a_panic_that_a_signal_caused_is_the_signal(capsys, monkeypatch, number, said):
    monkeypatch.setattr(signals, "_PATIENCE", 0)
    handlers = [(one, signal.getsignal(one)) for one in (signal.SIGINT, signal.SIGTERM)]
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)

    def panic(*before):
        catch_signals()
        for one in before:
            with pytest.raises(Interrupted):
                signals._stop(one, None)
        raise PanicException("Python API call failed")

    try:
        for before, code in (((number,), 128 + number), ((), 3)):
            with pytest.raises(SystemExit) as ended, ending():
                panic(*before)
            assert ended.value.code == code
            assert (capsys.readouterr().err == f"ratingpriv: {said}\n") == bool(before)
    finally:
        for one, handler in handlers:
            signal.signal(one, handler)


def test_a_signal_of_an_earlier_command_explains_no_panic(monkeypatch):
    monkeypatch.setattr(signals, "_raised", [signal.SIGINT])
    with pytest.raises(SystemExit) as ended, ending():
        raise PanicException("Python API call failed")
    assert ended.value.code == 3
