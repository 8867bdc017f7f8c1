"""Whether Apache Spark can be used here: a check of ``ratingpriv doctor``, which tries it for a moment."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ratingpriv.report.doctor.check import Check

_TRIAL = (sys.executable, "-m", "ratingpriv.spark.trial")
_PATIENCE = 120
"""Seconds after which a session that does not start is given up."""
_OLDEST_JAVA = 17


def spark_check() -> Check:
    """Try Java, pyspark, pandas and pyarrow together; without pyspark nothing is tried, as it is optional."""
    if importlib.util.find_spec("pyspark") is None:
        return Check("spark", True, "not installed, optional (pip install 'ratingpriv[spark]')")
    versions = ", ".join(f"{name} {_version(name)}" for name in ("pandas", "pyarrow"))
    if os.environ.get("SPARK_REMOTE"):
        return Check("spark", True, f"a session is elsewhere, at SPARK_REMOTE; {versions}")
    java = _java()
    if java is None:
        remedy = f"install Java {_OLDEST_JAVA} or later, or name it in JAVA_HOME"
        return Check("spark", False, f"pyspark is here and no java; {remedy}")
    if java < _OLDEST_JAVA:
        return Check("spark", False, f"Java {java}; Spark 4 wants {_OLDEST_JAVA} or later")
    try:
        tried = subprocess.run(  # noqa: S603 -- our own module, by this Python
            _TRIAL, capture_output=True, text=True, encoding="utf-8", check=False, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return Check("spark", False, f"no session within {_PATIENCE} s (Java {java}, {versions})")
    said = tried.stdout.strip().rpartition("\n")[2] or "it ended without a word"
    return Check("spark", tried.returncode == 0, f"{said} (Java {java}, {versions})")


def _java() -> int | None:
    """Return the number of the Java that Spark would start; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None:
        return None
    try:
        said = subprocess.run(  # noqa: S603 -- it only says its version
            [program, "-version"], capture_output=True, text=True, check=False, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return None if found is None else int(found[1])


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
