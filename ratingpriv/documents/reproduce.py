"""``ratingpriv.reproduce/1``: the papers' figures made again,
and whether what is said of them holds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ratingpriv.documents.data import Contract
from ratingpriv.documents.form import Count, Document, meaning


class ReproduceParameters(Document):
    __doc__ = "What the figures were made with."

    data: Annotated[
        dict[str, str], meaning("The place of each data set that was given, by its name.")
    ]
    seed: Annotated[Count, meaning("The seed of all random numbers.")]
    quick: Annotated[bool, meaning("Whether it was a small grid on few records.")]


class Quotation(Document):
    __doc__ = "What the paper says of a panel, and where."

    words: Annotated[
        str, meaning("Verbatim; three points between blanks where words were dropped.")
    ]
    place: Annotated[str, meaning("The page, or the section.")]
    rules: Annotated[list[str], meaning("What of it is judged.")]


class Panel(Document):
    __doc__ = "One panel of a figure."

    name: Annotated[str, meaning("As the paper has it; empty where there is one.")]
    x: Annotated[str, meaning("What x is.")]
    y: Annotated[str, meaning("What y is.")]
    x_label: Annotated[str, meaning("The same for readers.")]
    y_label: Annotated[str, meaning("The same for readers.")]
    statement: Annotated[str, meaning("What the paper says of it, all quotations.")]
    quotations: Annotated[list[Quotation], meaning("What the paper says of it, in its own words.")]
    remark: Annotated[
        str,
        meaning("What a reader of these words should know, ours; empty where there is nothing."),
    ]
    form: Annotated[Literal["lines", "bars", "steps"], meaning("How it is drawn.")]
    x_scale: Annotated[Literal["linear", "log"], meaning("How the axis is divided.")]
    y_scale: Annotated[Literal["linear", "log"], meaning("How the axis is divided.")]


class Series(Document):
    __doc__ = "One line or row of bars."

    panel: Annotated[str, meaning("The name of its panel.")]
    label: Annotated[str, meaning("What it is.")]
    x: Annotated[list[float | str], meaning("Numbers ascending, or names of bars.")]
    y: Annotated[
        list[float | None], meaning("A value for each x; null where it could not be measured.")
    ]
    low: Annotated[
        list[float | None] | None, meaning("The lower end for each x, null where there is none.")
    ]
    high: Annotated[
        list[float | None] | None, meaning("The upper end for each x, null where there is none.")
    ]
    note: Annotated[str, meaning("What else is to be known of it.")]
    data: Annotated[str, meaning("The data it was made on.")]


class Judgement(Document):
    __doc__ = "A statement of the paper, and whether it holds here."

    panel: Annotated[str, meaning("The name of its panel.")]
    paper: Annotated[str, meaning("The statement that is judged.")]
    ours: Annotated[str, meaning("What came out.")]
    holds: Annotated[bool | None, meaning("Null where it cannot be said.")]
    why: Annotated[str, meaning("The rule by which it was decided, and the reason.")]
    data: Annotated[str, meaning("The data it is about; empty: all.")]


class Figure(Document):
    __doc__ = "A figure of the papers, made anew."

    name: Annotated[str, meaning("As it is asked for.")]
    title: Annotated[str, meaning("What it shows.")]
    source: Annotated[str, meaning("Where it is printed.")]
    kind: Annotated[str, meaning("How it is made.")]
    data: Annotated[list[str], meaning("The names of the data that it was made on.")]
    made: Annotated[bool, meaning("Whether it was made.")]
    reason: Annotated[str | None, meaning("Why it was not made; null where it was.")]
    panels: Annotated[list[Panel], meaning("Its pictures.")]
    series: Annotated[list[Series], meaning("What is drawn.")]
    judgements: Annotated[list[Judgement], meaning("Whether the paper's statements hold here.")]
    notes: Annotated[list[str], meaning("What a reader should know.")]
    from_journal: Annotated[
        list[str],
        meaning(
            "What was read from the journal, which a person who can write the file can change; by "
            "its names there."
        ),
    ]


class Reproduction(Contract, tag="ratingpriv.reproduce/1"):
    __doc__ = "Figures of the papers made again, and whether what the papers say of them holds."

    parameters: ReproduceParameters
    figures: Annotated[list[Figure], meaning("Each figure that was asked for.")]
