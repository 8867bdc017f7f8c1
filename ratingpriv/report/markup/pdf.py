"""HTML printed to PDF by the Chromium of this machine, without a window, a profile or a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.base.files import replacing
from ratingpriv.base.partial import partial_folder
from ratingpriv.base.unfinished import run_child

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
_FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
_SECONDS = 120


def browser() -> str:
    """Return the path of a Chromium."""
    path = next((path for name in _NAMES if (path := shutil.which(name)) is not None), None)
    if path is None:
        raise ParameterError(
            "output",
            "a file ending in .pdf, and no Chromium on this machine",
            "Chromium or Chrome on the PATH",
            "install one, or write .html and print that in any browser",
        )
    return path


def print_pdf(html: str, path: str | Path, *, force: bool = False, private: bool = False) -> None:
    """Print a self-contained document to ``path``, whole or not at all; ``private``:
    for the user alone.

    The browser runs in a profile of its own that is gone afterwards, and can look up no address.
    """
    chromium = browser()
    with (
        replacing(path, force=force, private=private) as temporary,
        partial_folder(Path(tempfile.gettempdir(), "ratingpriv-pdf")) as folder,
    ):
        source, made = folder / "page.html", folder / "page.pdf"
        source.write_text(html, encoding="utf-8")
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        root = ["--no-sandbox"] if is_root else []  # it starts in no other way
        command = [
            chromium,
            *_FLAGS,
            *root,
            f"--user-data-dir={folder}/profile",
            f"--print-to-pdf={made}",
            source.as_uri(),
        ]
        homes = ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
        environment = {**os.environ, **dict.fromkeys(homes, str(folder))}
        try:
            code, _, _ = run_child(
                command,
                timeout=_SECONDS,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired as error:
            raise ResourceError(
                f"{chromium} did not print the page within {_SECONDS} s; write .html"
            ) from error
        if code != 0 or not made.is_file():
            raise ResourceError(
                f"{chromium} ended with {code} and printed no page; write .html and print that"
            )
        shutil.copyfile(made, temporary)
