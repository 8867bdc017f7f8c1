"""``ratingpriv.reproduce/1``: the papers' figures made again, and whether what is said of them holds."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import Contract
from ratingpriv.documents.form import Count, Document


class ReproduceParameters(Document):
    """What the figures were made with."""

    data: dict[str, str]  #: The place of each data set that was given, by its name.
    seed: Count  #: The seed of all random numbers.
    quick: bool  #: Whether it was a small grid on few records.


class Quotation(Document):
    """What the paper says of a panel, and where."""

    words: str  #: Verbatim; three points between blanks where words were left out.
    place: str  #: The page, or the section.
    rules: list[str]  #: What of it is judged.


class Panel(Document):
    """One panel of a figure."""

    name: str  #: As the paper has it; empty where there is one.
    x: str  #: What x is.
    y: str  #: What y is.
    x_label: str  #: The same for readers.
    y_label: str  #: The same for readers.
    statement: str  #: What the paper says of it, all quotations.
    quotations: list[Quotation]  #: What the paper says of it, in its own words.
    remark: str  #: What a reader of these words should know, ours; empty where there is nothing.
    form: Literal["lines", "bars", "steps"]  #: How it is drawn.
    x_scale: Literal["linear", "log"]  #: How the axis is divided.
    y_scale: Literal["linear", "log"]  #: How the axis is divided.


class Series(Document):
    """One line or row of bars."""

    panel: str  #: The name of its panel.
    label: str  #: What it is.
    x: list[float | str]  #: Numbers ascending, or names of bars.
    y: list[float | None]  #: A value for each x; null where it could not be measured.
    low: list[float | None] | None  #: The lower end for each x, null where there is none.
    high: list[float | None] | None  #: The upper end for each x, null where there is none.
    note: str  #: What else is to be known of it.
    data: str  #: The data it was made on.


class Judgement(Document):
    """A statement of the paper, and whether it holds here."""

    panel: str  #: The name of its panel.
    paper: str  #: The statement that is judged.
    ours: str  #: What came out.
    holds: bool | None  #: Null where it cannot be said.
    why: str  #: The rule by which it was decided, and the reason.
    data: str  #: The data it is about; empty: all.


class Figure(Document):
    """A figure of the papers, made anew."""

    name: str  #: As it is asked for.
    title: str  #: What it shows.
    source: str  #: Where it is printed.
    kind: str  #: How it is made.
    data: list[str]  #: The names of the data that it was made on.
    made: bool  #: Whether it was made.
    reason: str | None  #: Why it was not made; null where it was.
    panels: list[Panel]  #: Its pictures.
    series: list[Series]  #: What is drawn.
    judgements: list[Judgement]  #: Whether the paper's statements hold here.
    notes: list[str]  #: What a reader should know.
    #: What was read from the journal, which whoever can write the file can change; by its names there.
    from_journal: list[str]


class Reproduction(Contract, tag="ratingpriv.reproduce/1"):
    """Figures of the papers made again, and whether what the papers say of them holds."""

    parameters: ReproduceParameters
    figures: list[Figure]  #: Each figure that was asked for.
