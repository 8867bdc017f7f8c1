"""``ratingpriv.reproduce/1``: the papers' figures made again, and whether what is said of them holds."""

from __future__ import annotations

from typing import Literal

from ratingpriv.documents.data import Tool
from ratingpriv.documents.form import Count, Document


class ReproduceParameters(Document):
    """What the figures were made with.

    Attributes
    ----------
    data : The place of each data set that was given, by its name.
    seed : The seed of all random numbers.
    quick : Whether it was a small grid on few records.
    """

    data: dict[str, str]
    seed: Count
    quick: bool


class Quotation(Document):
    """What the paper says of a panel, and where.

    Attributes
    ----------
    words : Verbatim; three points between blanks where words were left out.
    place : The page, or the section.
    rules : What of it is judged.
    """

    words: str
    place: str
    rules: list[str]


class Panel(Document):
    """One panel of a figure.

    Attributes
    ----------
    name : As the paper has it; empty where there is one.
    x : What x is.
    y : What y is.
    x_label : The same for readers.
    y_label : The same for readers.
    statement : What the paper says of it, all quotations.
    quotations : What the paper says of it, in its own words.
    remark : What a reader of these words should know, ours; empty where there is nothing.
    form : How it is drawn.
    x_scale : How the axis is divided.
    y_scale : How the axis is divided.
    """

    name: str
    x: str
    y: str
    x_label: str
    y_label: str
    statement: str
    quotations: list[Quotation]
    remark: str
    form: Literal["lines", "bars", "steps"]
    x_scale: Literal["linear", "log"]
    y_scale: Literal["linear", "log"]


class Series(Document):
    """One line or row of bars.

    Attributes
    ----------
    panel : The name of its panel.
    label : What it is.
    x : Numbers ascending, or names of bars.
    y : A value for each x; null where it could not be measured.
    low : The lower end for each x, null where there is none.
    high : The upper end for each x, null where there is none.
    note : What else is to be known of it.
    data : The data it was made on.
    """

    panel: str
    label: str
    x: list[float | str]
    y: list[float | None]
    low: list[float | None] | None
    high: list[float | None] | None
    note: str
    data: str


class Judgement(Document):
    """A statement of the paper, and whether it holds here.

    Attributes
    ----------
    panel : The name of its panel.
    paper : The statement that is judged.
    ours : What came out.
    holds : Null where it cannot be said.
    why : The rule by which it was decided, and the reason.
    data : The data it is about; empty: all.
    """

    panel: str
    paper: str
    ours: str
    holds: bool | None
    why: str
    data: str


class Figure(Document):
    """A figure of the papers, made anew.

    Attributes
    ----------
    name : As it is asked for.
    title : What it shows.
    source : Where it is printed.
    kind : How it is made.
    data : The names of the data that it was made on.
    made : Whether it was made.
    reason : Why it was not made; null where it was.
    panels : Its pictures.
    series : What is drawn.
    judgements : Whether the paper's statements hold here.
    notes : What a reader should know.
    """

    name: str
    title: str
    source: str
    kind: str
    data: list[str]
    made: bool
    reason: str | None
    panels: list[Panel]
    series: list[Series]
    judgements: list[Judgement]
    notes: list[str]


class Reproduction(Document):
    """Figures of the papers made again, and whether what the papers say of them holds.

    Attributes
    ----------
    schema : Name and version of this form.
    figures : Each figure that was asked for.
    """

    schema: Literal["ratingpriv.reproduce/1"]
    tool: Tool
    parameters: ReproduceParameters
    figures: list[Figure]
