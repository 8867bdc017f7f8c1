"""Google Forms: a time stamp, perhaps an e-mail address, then a column a question (``question [row]``)."""

from __future__ import annotations

import re

from ratingpriv.formats.column_names import unique_names
from ratingpriv_loaders.surveys.export import Export, folded, one_line
from ratingpriv_loaders.surveys.loader import ExportLoader, Rows

__all__ = ["GoogleFormsLoader"]

_TIMES = frozenset(
    map(
        folded,
        (
            "Timestamp", "Zeitstempel", "Horodateur", "Marca temporal", "Carimbo de data/hora",
            "Informazioni cronologiche", "Tijdstempel", "Sygnatura czasowa", "Tidsstämpel", "Tidsstempel",
            "Aikaleima", "Časové razítko", "Zaman damgası", "Отметка времени", "タイムスタンプ",
            "时间戳记", "時間戳記", "타임스탬프", "Marca de temps", "Időbélyeg", "Marcaj de timp",
        ),
    )
)  # fmt: skip
"""What the first column is called, in the form's language."""

_PERSONS = frozenset(
    map(
        folded,
        (
            "Email Address", "Email", "Username", "E-Mail-Adresse", "E-Mail", "Nutzername", "Adresse e-mail",
            "Adresse électronique", "Nom d'utilisateur", "Dirección de correo electrónico",
            "Correo electrónico", "Nombre de usuario", "Endereço de e-mail", "Nome de usuário",
            "Nome de utilizador", "Indirizzo email", "Indirizzo e-mail", "Nome utente", "E-mailadres",
            "Gebruikersnaam", "Adres e-mail", "Nazwa użytkownika", "Adres email", "Адрес электронной почты",
            "メールアドレス", "Имя пользователя", "E-postadress", "E-mailadresse",
        ),
    )
)  # fmt: skip
_SCORE = re.compile(r"^\d+(\.\d+)? / \d+$")
_DATED = re.compile(r"^\d{1,4}[-./年 ]+\d{1,2}[-./月 ]+\d{1,4}\D.*\d{1,2}[:.h時]\d{2}")


class GoogleFormsLoader(ExportLoader):
    """Reads the CSV of a Google Form's answers, in any of the languages that its first column is known in."""

    name = "google-forms"
    description = "Google Forms: the CSV of a form's answers, a time stamp in front"

    def recognised(self, rows: Rows) -> Export | None:
        """Know it by the name of the first column and the dates and times in it."""
        heads = [one_line(head) for head in rows[0]]
        body = [row[0].strip() for row in rows[1:] if row]
        if folded(heads[0]) not in _TIMES or len(heads) < 2 or not body or not all(heads):
            return None
        if not all(_DATED.match(cell) for cell in body):
            return None
        names = unique_names(heads)
        known = {names[0]: ("drop", "Google Forms' time stamp")}
        for place in range(1, len(heads)):
            if folded(heads[place]) in _PERSONS:
                known[names[place]] = ("identifier", "Google Forms: who answered")
            elif place < 3 and all(_SCORE.match(row[place]) for row in rows[1:] if len(row) == len(heads)):
                known[names[place]] = ("drop", "Google Forms' score of a quiz")
        reason = "answers to a Google Form: a time stamp, then a column a question"
        return Export(names, 1, reason, dict(zip(names, heads, strict=True)), known)
