"""The keys of a JSON contract as text, for readers without the site."""

from __future__ import annotations

from ratingpriv.documents import schema
from ratingpriv.documents.keys import every_key, kind, meaning
from ratingpriv.report.page import Table
from ratingpriv.report.text import table_text


def keys_text(name: str) -> str:
    """Return a table of the keys of a contract: path, type and meaning, one line per key.

    The keys of a type stand where it is named first; ``[]`` is any element, and NAME any name.

    Raises
    ------
    ParameterError
        There is no contract of this name.
    """
    document = schema(name)
    types = document["$defs"]
    rows = tuple(
        (
            key.path,
            kind(key.part),
            meaning(key.part, types) + (" Optional." if key.optional else ""),
        )
        for key in every_key(document)
    )
    table = table_text(Table(("key", "type", "meaning"), rows, (False, False, False)))
    notes = (
        "A key that is optional may not be there. The keys of a type stand where it is named first."
    )
    return f"{document['title']}: {document['description']}\n{notes}\n\n{table}\n"
