"""``ratingpriv desk`` as a program."""

import subprocess
import sys
import urllib.request


def test_the_command_prints_a_link_that_works_and_ends_with_the_desk(tmp_path, environment):
    program = [sys.executable, "-m", "ratingpriv", "desk", "--no-browser"]
    running = subprocess.Popen(
        program, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        link = running.stdout.readline().strip()
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
        )
        opener.open(link, timeout=20).close()
        origin = link.partition("/?")[0]
        quitting = urllib.request.Request(  # noqa: S310
            f"{origin}/quit", b"", {"Origin": origin}
        )
        assert b"has ended" in opener.open(quitting, timeout=20).read()
        assert running.wait(20) == 0
    finally:
        running.kill()
        running.stdout.close()
        running.wait()


def test_a_file_that_is_not_there_is_wrong_usage(cli, tmp_path):
    assert cli("desk", tmp_path / "none.csv").exit_code == 2
