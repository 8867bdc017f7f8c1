"""What is there on POSIX systems only is asked for before it is used:
the desk runs on Windows, too.
"""

import ast

import pytest
from house.checkout import ROOT

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
NAMES = {
    "os": set(
        "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fchmod fchown fork getegid geteuid "
        "getgid getuid "
        "killpg lchown mkfifo nice posix_fadvise pread pwrite sched_getaffinity setsid statvfs "
        "sysconf "
        "sysconf_names uname".split()
    ),
    "signal": set(
        "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGUSR1 SIGUSR2 alarm pthread_sigmask setitimer "
        "sigwait".split()
    ),
}
ASKING = (
    "hasattr(os",
    "hasattr(signal",
    "os.name",
    "sys.platform",
    "except ImportError",
    "except ModuleNotFound",
)


def posix_only(node):
    """Return what of POSIX a node is, else ''."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
        return next((name for name in names if name.partition(".")[0] in MODULES), "")
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}" if node.attr in NAMES.get(node.value.id, ()) else ""
    return ""


def unguarded(text):
    """Return the uses in whose function, or else module, nobody asks whether they are there."""
    tree = ast.parse(text)
    around = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            around[child] = node if inside else around.get(node, tree)
    return [
        f"{node.lineno}: {used}"
        for node in ast.walk(tree)
        if (used := posix_only(node))
        and not any(one in (ast.get_source_segment(text, around[node]) or text) for one in ASKING)
    ]


def test_posix_is_asked_for_before_it_is_used():
    sources = [path for room in ("ratingpriv", "loaders") for path in (ROOT / room).rglob("*.py")]
    assert len(sources) > 100
    found = {
        path.name: uses for path in sources if (uses := unguarded(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("import os\ndef f():\n    return os.geteuid()", ["3: os.geteuid"]),
        ("import os\ndef f():\n    return hasattr(os, 'geteuid') and os.geteuid()", []),
        ("import fcntl", ["1: fcntl"]),
        ("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None", []),
        (
            "import os\ndef f():\n    return hasattr(os, 'fork')\ndef g():\n    os.fork()",
            ["5: os.fork"],
        ),
    ],
)
def test_what_is_not_asked_for_is_found(text, uses):
    assert unguarded(text) == uses
