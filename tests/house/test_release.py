"""What has to agree before a version goes out: one version, bounds that are tried,
a valid compose file.
"""

import re
import shutil
import subprocess
import tomllib

import pytest
from house.checkout import ROOT

import ratingpriv

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def oldest():
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_the_version_stands_in_one_place():
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "ratingpriv/base/provenance.py"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.MULTILINE)[1] == ratingpriv.__version__


def test_every_lower_bound_is_tried():
    asked = (
        PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["pandas"]
    )
    bounds = dict(re.match(r"([a-z0-9-]+)>=([0-9.]+)", need).groups() for need in asked)
    tried = oldest()
    assert set(bounds) <= set(tried)
    for name, bound in bounds.items():
        assert (tried[name] + ".").startswith(bound + "."), (
            f"{name}: {bound} is promised, {tried[name]} is tried"
        )


def test_the_compose_file_is_one(tmp_path):
    docker = shutil.which("docker")
    if (
        docker is None
        or subprocess.run(
            [docker, "compose", "version"], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("no docker compose here")
    command = [
        docker,
        "compose",
        "--file",
        str(ROOT / "docker" / "compose.yaml"),
        "config",
        "--quiet",
    ]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "NEO4J_PASSWORD": "for a test only"}
    answer = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
