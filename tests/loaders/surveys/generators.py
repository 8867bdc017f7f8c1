"""Exports as survey tools write them, made with the csv module: quotes, line breaks, languages."""

import csv
import io
import json
from collections.abc import Sequence

__all__ = ["google_form", "limesurvey", "qualtrics", "surveymonkey", "text_of"]

SCALE = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")

Rows = list[list[str]]


def text_of(rows: Sequence[Sequence[str]], delimiter: str = ",", *, quote_all: bool = False) -> str:
    file = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=delimiter, quoting=quoting).writerows(rows)
    return file.getvalue()


def qualtrics(
    n: int = 12, *, words: bool = False, rows: int = 3, status: str | None = None
) -> Rows:
    """Return an export with three header rows, or the older one with two.

    Answers as numbers or words.
    """
    meta = (
        "StartDate|EndDate|Status|IPAddress|Progress|Duration (in seconds)|Finished|RecordedDate|"
        "ResponseId|RecipientLastName|RecipientFirstName|RecipientEmail|ExternalReference|LocationLatitude|"
        "LocationLongitude|DistributionChannel|UserLanguage"
    ).split("|")
    german = [f"{name} (deutsch)" for name in meta]
    ids = (
        "startDate|endDate|status|ipAddress|progress|duration|finished|recordedDate|_recordId|"
        "recipientLastName|recipientFirstName|recipientEmail|externalDataReference|locationLatitude|"
        "locationLongitude|distributionChannel|userLanguage"
    ).split("|")
    asked = {
        "Q1": ('How do you rate "us"?\n(1 = bad)', "QID1"),
        "Q2_1": ("Say how far you agree: - The food, is good", "QID2_1"),
        "Q2_2": ("Say how far you agree: - The\nroom is good", "QID2_2"),
        "Q3": ("Anything else?", "QID3_TEXT"),
        "Q3_DO_1": ("Order", "QID3_DO_1"),
        "Q4_First Click": ("Timing - First Click", "QID4_FIRST_CLICK"),
    }
    body = []
    for i in range(n):
        said = status if status is not None and i == 1 else "IP Address" if words else "0"
        own = [
            f"2024-03-{i % 28 + 1:02} 10:00:00", f"2024-03-{i % 28 + 1:02} 10:05:11", said,
            f"192.0.2.{i}", "100", str(200 + i), "True" if words else "1",
            f"2024-03-{i % 28 + 1:02} 10:05:12", f"R_{i:03}aBc", f"Last{i}", f"First{i}",
            f"p{i}@example.org", f"x{i}", f"47.{i}", f"7.{i}", "anonymous", "DE",
        ]  # fmt: skip
        answers = [
            SCALE[i % 5] if words else str(i % 5 + 1),
            str(i % 3 + 1),
            "" if i == 4 else str(i % 2 + 1),
        ]
        body.append([*own, *answers, f'Call me, "I" am\nline {i}', "1|2", f"0.{i}"])
    if rows == 2:
        names = [f"V{i + 1}" for i in range(10)] + list(asked)
        legacy = (
            "ResponseID|ResponseSet|Name|ExternalDataReference|EmailAddress|IPAddress|Status|StartDate|"
            "EndDate|Finished"
        ).split("|")
        below = [
            [r[8], "Default", r[9], r[12], r[11], r[3], r[2], r[0], r[1], r[6],
            *r[17:]] for r in body
        ]  # fmt: skip
        return [names, [*legacy, *(text for text, _ in asked.values())], *below]
    imports = [
        json.dumps({"ImportId": one}, separators=(",", ":"))
        for one in [*ids, *(i for _, i in asked.values())]
    ]
    return [[*meta, *asked], [*german, *(text for text, _ in asked.values())], imports, *body]


def limesurvey(n: int = 12, *, heads: str = "codes") -> Rows:
    """Return an export headed by codes, by codes and questions,
    or by questions alone (in German).
    """
    own = {
        "id": "Antwort ID", "submitdate": "Datum Abgeschickt", "lastpage": "Letzte Seite",
        "startlanguage": "Start-Sprache", "seed": "Zufallsstartwert", "token": "Zugangscode",
        "ipaddr": "IP-Adresse", "refurl": "Weiterleitungs-URL",
    }  # fmt: skip
    asked = {
        "Q1": "Wie zufrieden\nsind Sie?", "Q2[SQ001]": 'Wie finden Sie? ["Essen"]',
        "Q2[SQ002]": "Wie finden Sie? [Zimmer]", "Q2[other]": "Wie finden Sie? [Sonstiges]",
        "interviewtime": "Gesamtzeit", "groupTime12": "Gruppenzeit: 1",
    }  # fmt: skip
    both = {**own, **asked}
    head = {
        "codes": list(both),
        "both": [f"{code}. {text}" for code, text in both.items()],
        "questions": list(both.values()),
    }[heads]
    body = [
        [
            str(i + 1), "1980-01-01 00:00:00" if i else "", "3", "de", str(1000 + i), f"tok{i}",
            f"192.0.2.{i}",
            "http://example.org", f"A{i % 5 + 1}", str(i % 4 + 1), str(i % 3 + 1), f"frei, {i}",
            f"{60 + i}.5", "9.1",
        ]
        for i in range(n)
    ]  # fmt: skip
    return [head, *body]


def google_form(n: int = 12, *, language: str = "en") -> Rows:
    """Return the answers to a form in a language, with a grid and a question of the same words."""
    head = {
        "en": ["Timestamp", "Email Address", "Score"],
        "de": ["Zeitstempel", "E-Mail-Adresse", "Punktzahl"],
        "fr": ["Horodateur", "Adresse e-mail", "Note"],
        "es": ["Marca temporal", "Dirección de correo electrónico", "Puntuación"],
        "ja": ["タイムスタンプ", "メールアドレス", "Score"],
    }[language]
    time = {
        "en": "3/{d}/2024 9:05:1{s}", "de": "{d:02}.03.2024 09:05:1{s}",
        "fr": "{d:02}/03/2024 09:05:1{s}",
        "es": "{d}/03/2024 9:05:1{s}", "ja": "2024/03/{d:02} 9:05:1{s}",
    }[language]  # fmt: skip
    asked = [
        "How was it?\nBe honest",
        'Rate, please ["Food"]',
        "Rate, please [Room]",
        "Comment",
        "Comment",
    ]
    body = [
        [
            time.format(d=i + 1, s=i % 10), f"p{i}@example.org", f"{i % 4} / 10", str(i % 5 + 1),
            SCALE[i % 5], SCALE[(i + 1) % 5], "a, b", f"c\n{i}",
        ]
        for i in range(n)
    ]  # fmt: skip
    return [
        [head[0], head[1], *([] if language == "ja" else [head[2]]), *asked],
        *([row[0], row[1], *([] if language == "ja" else [row[2]]), *row[3:]] for row in body),
    ]


def surveymonkey(n: int = 12, *, response: str = "Response") -> Rows:
    """Return an export with two header rows: a grid,
    choices of which all that apply are checked, words.
    """
    own = (
        "Respondent ID|Collector ID|Start Date|End Date|IP Address|Email Address|First "
        "Name|Last Name|"
        "Custom Data 1"
    ).split("|")
    first = [
        *own, "How satisfied are you,\nall in all?", "Which did you use? Check all.", "", "",
        'Rate "us" on these', "", "Gender", "What else?",
    ]  # fmt: skip
    below = [
        *[""] * 9, response, "The pool", "The bar, at night", "Other (please specify)", "Food",
        "Room",
        response, "Open-Ended Response",
    ]  # fmt: skip
    body = [
        [
            str(11_000_000_000 + i), "4001", "03/01/2024 10:00:00 AM", "03/01/2024 10:04:00 AM",
            f"192.0.2.{i}", f"p{i}@example.org", f"First{i}", f"Last{i}", "", str(i % 5 + 1),
            "The pool" if i % 2 else "",
            "The bar, at night" if i % 3 else "", "the\nlift" if i == 3 else "", str(i % 5 + 1),
            str(i % 4 + 1), ("Female", "Male")[i % 2], "" if i % 2 else f"no, {i}",
        ]
        for i in range(n)
    ]  # fmt: skip
    return [first, below, *body]
