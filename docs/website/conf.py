"""Sphinx's settings. Nothing is fetched: no intersphinx, no fonts and no scripts from elsewhere."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ratingpriv
from website.staging import listed

project = "ratingpriv"
author = "The ratingpriv authors"
copyright = author  # noqa: A001 -- the name that Sphinx reads
version = release = ratingpriv.__version__
root_doc = "docs/index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # the lexer of Cypher knows no parameters
smartquotes = False
nitpicky = True
# docstrings name private modules, too; links of pages are held
nitpick_ignore_regex = [(r"py:.*", r".*")]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = "ratingpriv"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_copy_source = False
html_show_sourcelink = False
html_domain_indices = False
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
highlight_language = "text"


def _with_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give an index its table of contents: the pages that it links, under its own headings."""
    if posixpath.basename(docname) != "index" or Path(app.env.doc2path(docname)).suffix != ".md":
        return
    for heading, pages in listed(source[0]):
        caption = [f":caption: {heading}"] if docname == root_doc else []
        tree = ["", "```{toctree}", ":hidden:", *caption, "", *pages, "```", ""]
        source[0] += "\n".join(tree)


def _as_meant(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Let a bar in a docstring be a bar, as in |N(t)|:
    to reStructuredText it would be a substitution.
    """
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``|`[^`]*`)", line)
        lines[number] = "".join(
            part if part[:1] == "`" else part.replace("|", r"\|") for part in parts
        )


def _in_one_piece(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Make the meaning of a parameter one paragraph: numpydoc takes its first line for a type."""
    section, found = "", list[str]()
    for number, line in enumerate(lines):
        if number + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[number + 1]):
            section = line
        parameter = re.fullmatch(r"(\w[\w, *]*?|\*{1,2}\w+) : (.+)", line)
        if section in ("Parameters", "Attributes") and parameter:
            found += [parameter[1], f"    {parameter[2]}"]
        else:
            found.append(line)
    lines[:] = found


def setup(app: Sphinx) -> None:
    """Tell Sphinx."""
    app.connect("source-read", _with_contents)
    app.connect("autodoc-process-docstring", _in_one_piece, priority=100)  # before numpydoc
    app.connect("autodoc-process-docstring", _as_meant, priority=900)  # after numpydoc
