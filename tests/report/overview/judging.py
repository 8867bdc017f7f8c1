"""An independent reader of a report: the library's own HTML parser,
and what a stranger would look for.
"""

import re
from html.parser import HTMLParser

__all__ = ["Read", "people_below", "read"]


class Read(HTMLParser):
    """All that a reader or a program could find: texts, also by default, attributes,
    tables, headings.
    """

    def __init__(self):
        super().__init__()
        self.texts, self.attributes, self.tables, self.headings, self.tags = [], [], [], [], []
        self.inside, self.values = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.attributes += [value for _, value in attrs if value]
        if tag not in ("meta", "link", "br", "img", "path", "circle", "rect"):
            self.inside.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
        if tag in ("h1", "h2"):
            self.headings.append("")
        if tag in (
            "p",
            "li",
            "dd",
            "dt",
            "tr",
            "summary",
            "h1",
            "h2",
            "h3",
            "text",
            "title",
            "figcaption",
        ):
            self.texts.append("")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if {"style", "script"} & set(self.inside):
            return
        if "dd" in self.inside and data.strip():
            self.values.append(data.strip())
        if not self.texts:
            self.texts.append("")
        self.texts[-1] += data
        if self.inside and self.inside[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        if self.inside and self.inside[-1] in ("h1", "h2"):
            self.headings[-1] += data

    @property
    def everything(self):
        """Every text and every attribute."""
        return "\n".join([*self.texts, *self.attributes])


def read(html):
    """Read a report."""
    reader = Read()
    reader.feed(html)
    reader.close()
    return reader


_COUNTED = re.compile(
    r"(?P<before>[\w<>=/-]+ [\w<>=/-]+ )?(?P<number>\d[\d,]*(?:\.\d+)?)(?: of \d[\d,]*)?"
    r" (?:records?|targets?|people|neighbourhoods?)\b"
)
_MAY = re.compile(r"(?:at least|fewer than|under|over|than) $")
_OF_PEOPLE = ("people", "isolated", "ratings", "ratings now", "suppressed")


def people_below(html, threshold):
    """Find numbers of people below the threshold that are said as they are,
    or as the rest of a total.
    """
    found, page = [], read(html)
    for text in [*page.texts, *page.attributes]:
        for match in _COUNTED.finditer(" ".join(text.split())):
            number = float(match["number"].replace(",", ""))
            if 0 < number < threshold and not _MAY.search(match["before"] or ""):
                found.append(match[0])
        for part, total in re.findall(
            r"(\d[\d,]*) of (\d[\d,]*) (?:records|targets|neighbourhoods)", text
        ):
            rest = int(total.replace(",", "")) - int(part.replace(",", ""))
            if 0 < rest < threshold:
                found.append(f"{part} of {total}")
    bars = [(value, re.fullmatch(r"(?:about )?(\d[\d,]*)", value)) for value in page.values]
    found += [value for value, bar in bars if bar and 0 < int(bar[1].replace(",", "")) < threshold]
    for table in page.tables:
        titles = table[0] if table else []
        for column, title in enumerate(titles):
            if title in _OF_PEOPLE:
                cells = [row[column] for row in table[1:] if column < len(row)]
                found += [
                    cell
                    for cell in cells
                    if re.match(r"\d", cell)
                    and 0 < float(re.match(r"[\d,]+", cell)[0].replace(",", "")) < threshold
                ]
    return found
