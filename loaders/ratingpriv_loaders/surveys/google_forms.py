"""Google Forms: a time stamp, perhaps an e-mail address, then a column a question (``question [row]``)."""

from __future__ import annotations

import re

from ratingpriv.data.formats.column_names import unique_names
from ratingpriv_loaders.surveys.loader import Export, ExportLoader, Rows, folded, one_line

_SCORE = re.compile(r"^\d+(\.\d+)? / \d+$")
_DATED = re.compile(r"^\d{1,4}[-./年 ]+\d{1,2}[-./月 ]+\d{1,4}\D.*\d{1,2}[:.h時]\d{2}")


class GoogleFormsLoader(ExportLoader):
    """Reads the CSV of a Google Form's answers, in any of the languages that its first column is known in.

    There is nothing else to know it by: its other columns are called by their questions, and the score of a
    quiz and the e-mail address stand beside the time stamp where the form's owner asked for them.
    """

    name = "google-forms"
    description = "Google Forms: the CSV of a form's answers, a time stamp in front"

    def recognised(self, rows: Rows) -> Export | None:
        """Know it by the name of the first column and the dates and times in it."""
        heads = [one_line(head) for head in rows[0]]
        body = [row[0].strip() for row in rows[1:] if row]
        if folded(heads[0]) not in self.words["times"] or len(heads) < 2 or not body or not all(heads):
            return None
        if not all(map(_DATED.match, body)):
            return None
        names = unique_names(heads)
        known = {names[0]: ("drop", "Google Forms' time stamp")}
        for place, name in enumerate(names[1:3], start=1):
            if all(_SCORE.match(row[place]) for row in rows[1:] if len(row) == len(heads)):
                known[name] = ("drop", "Google Forms' score of a quiz")
        known |= self.known_columns(names[1:], heads[1:])
        reason = "answers to a Google Form: a time stamp, then a column a question"
        return Export(names, 1, reason, dict(zip(names, heads, strict=True)), known)
