"""Pages as HTML and Markdown: whatever the data are called,
the page says it and does nothing else.
"""

import base64
import hashlib
import re
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markup_reading import Markup

from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.base.escaping import printable
from ratingpriv.report.markup import pdf
from ratingpriv.report.markup.html import document, fragment
from ratingpriv.report.markup.markdown import markdown
from ratingpriv.report.page import Command, Page, Section, Table

HOSTILE = (
    "<script>alert(1)</script>", "</style><b>", "a|b", "`c`", "``d", "[x](http://e.x)",
    "http://e.x/y",
    "www.e.x", "a@e.x", "*b*", "_b_", "~~s~~", "1. x", "- x", "# x", "$x$", "&amp;",
    "\u202eabc", "a\nb",
    "\x1b[31m", "![i](s)", '" onload="x', "</code></pre><i>",
    "=====", "---", "{{ x }}", "{% x %}", "<!--", "a\\", "> q", "+ p",
)  # fmt: skip
TAGS = {
    "article", "h1", "h2", "p", "section", "ul", "li", "pre", "code", "div", "table", "caption",
    "thead",
    "tbody", "tr", "th", "td",
}  # fmt: skip


def page_about(text: str) -> Page:
    table = Table((text, "n"), ((text, "1"), ("b", text)), (False, True))
    section = Section(text, (f"said {text}", Command(f"echo {text}"), "in a table:", table, text))
    return Page(f"NOT SATISFIED: {text}", (text,), (section,), good=False)


@pytest.mark.parametrize("text", HOSTILE)
def test_html_says_it_and_does_nothing(text):
    seen = Markup(fragment(page_about(text)))
    assert set(seen.tags) <= TAGS
    assert {name for name, _ in seen.attributes} <= {
        "class",
        "scope",
        "role",
        "aria-label",
        "tabindex",
    }
    assert seen.text.count(printable(text)) >= 7
    assert seen.tags.count("th") == 4


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_says_it_and_does_nothing(text):
    """The judge is a parser of Markdown: what it makes of the page has
    our elements and the same words.
    """
    written = markdown(page_about(text))
    shown = (
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(written)
    )
    seen = Markup(shown)
    assert set(seen.tags) <= TAGS
    assert " ".join(seen.text.split()).count(" ".join(printable(text).split())) >= 7
    assert seen.tags.count("table") == 1
    assert not re.search(
        r"(?<![&#\w;])(https?://|www\.)", re.sub(r"```.*?```", "", written, flags=re.DOTALL)
    )


@given(st.text(min_size=1, max_size=30))
def test_any_text_keeps_the_form_of_a_page(text):
    page = page_about(text)
    assert Markup(fragment(page)).tags == Markup(fragment(page_about("x"))).tags
    shown = MarkdownIt("commonmark").enable("table").render(markdown(page))
    assert Markup(shown).tags.count("table") == 1
    assert set(Markup(shown).tags) <= TAGS


def test_a_document_loads_nothing_and_runs_only_its_script():
    script = "document.title += '!';"
    whole = document("a <title>", fragment(page_about("x")), script=script)
    seen = Markup(whole)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(
        value for name, value in seen.attributes if name == "content" and "default-src" in value
    )
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert "script-src" not in document("a", "")
    assert not {"link", "img", "iframe", "base", "object"} & set(seen.tags)
    assert not [
        value for name, value in seen.attributes if name in ("src", "href") and value != "#content"
    ]
    assert "url(" not in whole
    assert document("a", "b") == document("a", "b")
    assert "&lt;title&gt;" in whole
    assert len(document("", "")) < 20_000


# ---- PDF, by a browser of ours ----


def fake_browser(folder, monkeypatch, body):
    folder.mkdir(exist_ok=True)
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_printing_gives_the_browser_a_file_and_no_network(tmp_path, monkeypatch):
    fake_browser(
        tmp_path / "bin",
        monkeypatch,
        "for a; do case $a in --print-to-pdf=*) out=${a#*=};; esac; last=$a; done\n"
        'echo "$@" > "$out"; cat "${last#file://}" >> "$out"',
    )
    out = tmp_path / "r.pdf"
    pdf.print_pdf("<p>é</p>", out, private=True)
    said = out.read_text(encoding="utf-8")
    assert said.endswith("<p>é</p>")
    for flag in ("--headless", "--user-data-dir=", "MAP * ~NOTFOUND"):
        assert flag in said
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.parametrize("body", ["exit 0", "exit 3"])
def test_a_browser_that_fails_leaves_nothing(tmp_path, monkeypatch, body):
    fake_browser(tmp_path / "bin", monkeypatch, body)
    with pytest.raises(ResourceError, match="printed no page"):
        pdf.print_pdf("<p>", tmp_path / "r.pdf")
    assert [one.name for one in tmp_path.iterdir()] == ["bin"]


def test_without_a_browser_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterError, match=r"no Chromium.*write \.html"):
        pdf.print_pdf("<p>", tmp_path / "r.pdf")
