"""SurveyMonkey: a row of questions, and one of their choices or rows, or that says "Response"."""

from __future__ import annotations

from ratingpriv.data.formats.column_names import unique_names
from ratingpriv_loaders.surveys.loader import FREE_TEXT, Export, ExportLoader, Rows, folded, one_line

_SHORT = 30  # characters of a question that may be its column's name


class SurveyMonkeyLoader(ExportLoader):
    """Reads a CSV of SurveyMonkey, all answers, a column a choice or row.

    A column is called by its question where that has one column and is short (``Gender``), else by the
    question's number, and the number of the choice or row: ``Q3``, ``Q4_1``, ``Q4_2``.
    """

    name = "surveymonkey"
    description = "SurveyMonkey: a CSV export with two header rows"

    def recognised(self, rows: Rows) -> Export | None:
        """Know it by the second row: empty below the tool's own columns, "Response" below single answers.

        Where somebody has filled it, it repeats the first.
        """
        if len(rows) < 3 or len(rows[0]) < 3 or len(rows[1]) != len(rows[0]):
            return None
        heads, below = [one_line(head) for head in rows[0]], [one_line(cell) for cell in rows[1]]
        for place, (head, cell) in enumerate(zip(heads, below, strict=True)):
            if cell and cell == head:
                below[place] = "" if folded(head) in self.roles else "Response"
        answers = {*self.words["responses"], *self.words["open"]}
        gaps = any(not head and cell for head, cell in zip(heads, below, strict=True))
        first = next((place for place, cell in enumerate(below) if cell), 0)
        if first == 0 or folded(heads[0]) not in self.roles or not all([*heads[: first + 1], *below[first:]]):
            return None
        if not gaps and not any(folded(cell) in answers for cell in below):
            return None
        names, asked, options = heads[:first], {}, {}
        starts = [place for place in range(first, len(heads)) if heads[place]]
        for number, (start, stop) in enumerate(zip(starts, [*starts[1:], len(heads)], strict=True), 1):
            single, question = stop == start + 1, heads[start]
            short = single and len(question) <= _SHORT and not question.endswith("?")
            for place in range(start, stop):
                own = f"Q{number}" if single else f"Q{number}_{place - start + 1}"
                names.append(question if short else own)
                if folded(below[place]) in self.words["responses"]:
                    asked[place] = question
                else:
                    asked[place], options[place] = f"{question} [{below[place]}]", below[place]
        unique = unique_names(names)
        known = self.known_columns(unique[:first], heads[:first])
        for place, words in options.items():
            if folded(words) in self.words["open"]:
                known[unique[place]] = ("identifier", FREE_TEXT)
        return Export(
            unique,
            2,
            "an export of SurveyMonkey: questions and answers in two header rows",
            {unique[place]: text for place, text in asked.items()},
            known,
            {unique[place]: text for place, text in options.items()},
        )
