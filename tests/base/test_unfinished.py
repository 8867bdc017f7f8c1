"""Ctrl-C and SIGTERM: what is unfinished is undone, wherever they come, and one line is said."""

import signal
import subprocess
import sys

import pytest

from ratingpriv.base.unfinished import finishing, run_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals here")

SIGNALS = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
START = """
import os, pathlib, signal, sys
from ratingpriv.base.unfinished import *
def press(number=signal.SIGINT):
    os.kill(os.getpid(), number)
    for _ in range(1000): pass
"""


def ended(folder, body, *, begin="end_on_signals()", **more):
    """Run Python; gives exit code, standard output and error, and the names of what it left."""
    command = [sys.executable, "-c", f"{START}\n{begin}\n{body}\nprint('went on')"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False, **more
    )
    return done.returncode, done.stdout, done.stderr, sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("number", "code", "said"), SIGNALS)
@pytest.mark.parametrize(
    "made", ["replacing('out')", "partial_file(there)", "partial_folder(there)"]
)
def test_what_is_half_written_goes(tmp_path, number, code, said, made):
    body = f"""
from ratingpriv.base.files import replacing
from ratingpriv.base.partial import *
there = pathlib.Path("out")
with {made} as path:
    (path / "x" if path.is_dir() else path).write_text("half")
    press({int(number)})
"""
    assert ended(tmp_path, body) == (code, "", f"ratingpriv: {said}\n", [])


@pytest.mark.parametrize("where", [
    "class Dropped:\n    def __del__(self): press()\nDropped()",  # what is raised there is lost
    "pathlib.Path('pressing.py').write_text('import __main__; __main__.press()')\nimport pressing",
    "import hashlib, threading\n"  # compiled code, which no handler of Python's interrupts
    "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)",
    "try: press()\nexcept BaseException: pass",
])  # fmt: skip
def test_wherever_it_comes(tmp_path, where):
    code, out, said, _ = ended(tmp_path, f"import sys; sys.path.insert(0, '.')\n{where}")
    assert (code, out, said) == (130, "", "ratingpriv: interrupted\n")


def test_the_last_begun_is_undone_first_whatever_fails(tmp_path):
    body = """
def say(what): return lambda: print(what, flush=True)
def fails(): say("second")(); press(); press(signal.SIGTERM); 1 / 0
with finishing(say("third")), finishing(fails), finishing(say("first")):
    press()
"""
    assert ended(tmp_path, body)[:3] == (130, "first\nsecond\nthird\n", "ratingpriv: interrupted\n")


QUIET = "end_on_signals(silent=True)\nlast_words(lambda number: f'[{number}]')"
NOHUP = "signal.signal(signal.SIGINT, signal.SIG_IGN)\nend_on_signals()"
ONCE = "with finishing(lambda: print('once', flush=True)): pass\npress()"
NOTEBOOK = """
from ratingpriv.base.files import replacing
try:
    with replacing("out") as path:
        press()
except KeyboardInterrupt:
    pass
"""


@pytest.mark.parametrize(
    ("begin", "body", "end"),
    [
        ("end_on_signals()", ONCE, (130, "once\n", "ratingpriv: interrupted\n", [])),
        # words for programs, and none for people
        (QUIET, "press(signal.SIGTERM)", (143, "[15]", "", [])),
        (
            "end_on_signals()",
            "ignore_signals()\npress()\npress(signal.SIGTERM)",
            (0, "went on\n", "", []),
        ),
        (NOHUP, "press()", (0, "went on\n", "", [])),
        ("", NOTEBOOK, (0, "went on\n", "", [])),  # it is a KeyboardInterrupt there
    ],
)
def test_what_was_asked_for_beforehand(tmp_path, begin, body, end):
    assert ended(tmp_path, body, begin=begin) == end


def test_at_a_prompt(tmp_path):
    typing = "try:\n    with interruptible(): press({})\nexcept KeyboardInterrupt: pass"
    assert ended(tmp_path, typing.format(""))[:3] == (0, "went on\n", "")
    assert ended(tmp_path, typing.format("signal.SIGTERM"))[:3] == (
        143,
        "",
        "ratingpriv: terminated\n",
    )
    again = typing.format("") + "\nimport time; time.sleep(0.3)\npress()"
    assert ended(tmp_path, again)[:3] == (130, "", "ratingpriv: interrupted\n")


@pytest.mark.parametrize(("number", "code", "said"), SIGNALS)
@pytest.mark.parametrize("ours", [True, False])
def test_a_child_ends_with_it(tmp_path, number, code, said, ours):
    child = START + "import time\nend_on_signals(silent=True)"
    body = f"""
import threading, time
child = {child!r} + '''
with finishing(lambda: open("undone", "w").close()):
    open("begun", "w").close()
    time.sleep(60)
'''
def press_when_begun():
    while not pathlib.Path("begun").exists(): time.sleep(0.01)
    os.kill(os.getpid(), {int(number)})
threading.Thread(target=press_when_begun).start()
run_child([sys.executable, "-c", child], ours={ours})
"""
    left = ["begun", "undone"] if ours else ["begun"]
    assert ended(tmp_path, body) == (code, "", f"ratingpriv: {said}\n", left)


def test_a_signal_waits_until_a_child_that_is_being_started_is_known(tmp_path):
    body = """
import subprocess
start = subprocess.Popen.__init__
def started(self, *given, **more):
    start(self, *given, **more)
    press()
    pathlib.Path("pid").write_text(str(self.pid))
subprocess.Popen.__init__ = started
run_child(["sleep", "60"])
"""
    assert ended(tmp_path, body)[0] == 130
    assert subprocess.run(
        ["kill", "-0", (tmp_path / "pid").read_text()], check=False, stderr=-3
    ).returncode


def test_what_is_being_made_is_made_first(tmp_path):
    body = """
with finishing(lambda: pathlib.Path("made").unlink(missing_ok=True)):
    with undivided():
        with undivided(): press()
        import hashlib
        hashlib.pbkdf2_hmac("sha256", b"", b"", 10**6)  # longer than the thread waits
        pathlib.Path("made").touch()
    print("went on")
"""
    assert ended(tmp_path, body) == (130, "", "ratingpriv: interrupted\n", [])


def test_a_child_that_is_left_in_peace():
    code, out, errors = run_child(
        [sys.executable, "-c", "print(input()); 1 / 0"],
        given=b"1\n",
        stdin=-1,
        stdout=-1,
        stderr=-1,
    )
    assert (code, out, b"ZeroDivisionError" in errors) == (1, b"1\n", True)
    with pytest.raises(subprocess.TimeoutExpired):
        run_child(["sleep", "60"], timeout=0.01)


def test_an_error_is_the_one_to_tell():
    with pytest.raises(ZeroDivisionError), finishing(lambda: None):
        raise ZeroDivisionError
