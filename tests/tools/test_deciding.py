"""What lets .ci/run skip a long step: nothing that the step's tests reach has changed."""

import subprocess

import deciding
import pytest

SPARK = ["spark"]


@pytest.fixture
def since(monkeypatch):
    """What git says has changed, and what is not committed."""

    def since(*paths, dirty=()):
        said = {"diff": list(paths), "status": list(dirty)}
        monkeypatch.setattr(deciding, "git", lambda word, *_: said[word])
        return deciding.differing("COMMIT", SPARK)

    return since


@pytest.mark.parametrize("path", [
    "constraints.txt", "constraints-oldest.txt", "Makefile", "pyproject.toml", ".ci/run",
    "tests/conftest.py",
    "tests/support/spark_samples.py", "tests/spark/conftest.py", "tests/spark/test_audit.py",
    "tests/spark/over_connect.py", "ratingpriv/spark/sketch.py", "ratingpriv/proximity/levels.py",
    "ratingpriv/base/errors.py", "ratingpriv/report/templates/audit.jinja",
    "cypher/audit/alone.cypher",
])  # fmt: skip
def test_what_decides_a_step_has_it_run_again(since, path):
    assert since(path) == [path]


def test_what_decides_nothing_lets_it_be_skipped(since):
    assert (
        since("README.md", "docs/spark.md", "tests/browser/test_pages.py", "benchmarks/__main__.py")
        == []
    )


def test_a_tree_that_is_not_committed_skips_nothing(since):
    assert since(dirty=[" M README.md"]) == [" M README.md"]


def test_a_commit_that_is_not_known_skips_nothing():
    command = [deciding.sys.executable, deciding.__file__, "no-such-commit", "spark"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
