"""SurveyMonkey: a row of questions, and one of their choices or rows, or that says "Response"."""

from __future__ import annotations

from ratingpriv.formats.column_names import unique_names
from ratingpriv_loaders.surveys.export import FREE_TEXT, Export, folded, known_columns, one_line
from ratingpriv_loaders.surveys.loader import ExportLoader, Rows

__all__ = ["SurveyMonkeyLoader"]

_OWN = "a column that SurveyMonkey makes itself"
_PERSON = "SurveyMonkey: who answered, or from where"
_KNOWN = {
    **dict.fromkeys(
        (
            "respondentid", "respondent_id", "befragtenid", "teilnehmerid", "idderépondant", "idrépondant",
            "idurépondant", "iddelencuestado", "iddeencuestado", "iddorespondente", "idrispondente",
        ),
        ("id", "SurveyMonkey's id of the respondent"),
    ),
    **dict.fromkeys(
        (
            "collectorid", "startdate", "enddate", "datecreated", "datemodified", "collectornummer",
            "kollektorid", "startdatum", "enddatum", "erstellungsdatum", "änderungsdatum",
            "identifiantducollecteur", "datededébut", "datedefin", "iddelrecopilador", "fechadeinicio",
            "fechadefinalización", "iddocoletor", "datadeinício", "datadetérmino",
        ),
        ("drop", _OWN),
    ),
    **dict.fromkeys(
        (
            "ipaddress", "emailaddress", "firstname", "lastname", "customdata1", "customdata", "customvalue",
            "ipadresse", "emailadresse", "vorname", "nachname", "benutzerdefiniertedaten1", "adresseip",
            "adresseemail", "prénom", "nomdefamille", "donnéespersonnalisées1", "direcciónip",
            "correoelectrónico", "nombre", "apellidos", "datospersonalizados1", "endereçoip",
            "endereçodeemail",
        ),
        ("identifier", _PERSON),
    ),
}  # fmt: skip
_RESPONSES = frozenset(
    map(
        folded,
        (
            "Response",
            "Antwort",
            "Réponse",
            "Respuesta",
            "Resposta",
            "Risposta",
            "Antwoord",
            "Odpowiedź",
            "Svar",
        ),
    )
)
_OPEN = frozenset(
    map(
        folded,
        (
            "Open-Ended Response", "Other (please specify)", "Offene Antwort", "Sonstiges (bitte angeben)",
            "Réponse ouverte", "Autre (veuillez préciser)", "Respuesta abierta", "Otro (especifique)",
            "Resposta aberta", "Outro (especifique)", "Risposta aperta", "Altro (specificare)",
        ),
    )
)  # fmt: skip
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
        heads, below = [one_line(cell) for cell in rows[0]], [one_line(cell) for cell in rows[1]]
        below = [_unrepeated(head, cell) for head, cell in zip(heads, below, strict=True)]
        own = folded(heads[0]) in _KNOWN and not below[0]
        answers = sum(folded(cell) in _RESPONSES or folded(cell) in _OPEN for cell in below)
        gaps = any(not head and cell for head, cell in zip(heads, below, strict=True))
        if not own or not (answers or gaps):
            return None
        first = next(place for place, cell in enumerate(below) if cell)
        if any(not cell for cell in below[first:]) or not all(heads[: first + 1]):
            return None
        questions = heads[:first]
        starts = [place for place in range(first, len(heads)) if heads[place]]
        names = list(questions)
        asked: dict[int, str] = {}
        options: dict[int, str] = {}
        for number, start in enumerate(starts, 1):
            stop = starts[number] if number < len(starts) else len(heads)
            single = stop == start + 1
            short = single and len(heads[start]) <= _SHORT and not heads[start].endswith("?")
            for place in range(start, stop):
                names.append(
                    heads[start] if short else f"Q{number}" if single else f"Q{number}_{place - start + 1}"
                )
                said = folded(below[place]) in _RESPONSES
                asked[place] = heads[start] if said else f"{heads[start]} [{below[place]}]"
                if not said:
                    options[place] = below[place]
        unique = unique_names(names)
        known = known_columns(unique, [*questions, *[""] * (len(heads) - first)], _KNOWN)
        known |= {unique[at]: ("identifier", FREE_TEXT) for at in options if folded(below[at]) in _OPEN}
        return Export(
            unique,
            2,
            "an export of SurveyMonkey: questions and answers in two header rows",
            {unique[place]: text for place, text in asked.items()},
            known,
            {unique[place]: text for place, text in options.items()},
        )


def _unrepeated(head: str, cell: str) -> str:
    """Return a cell of the second row as SurveyMonkey wrote it, where somebody has repeated the first."""
    if not cell or cell != head:
        return cell
    return "" if folded(head) in _KNOWN else "Response"
