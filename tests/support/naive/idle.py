"""What asks nothing of these data, in plain loops from the definition: no record could fail it."""

from collections.abc import Sequence
from decimal import Decimal

type Values = Sequence[float | None]


def _known(values: Values) -> list[Decimal]:
    return [Decimal(repr(value)) for value in values if value is not None]


def reserved(
    questions: Sequence[Values],
    quasi: Sequence[tuple[Values, float | None, bool]],
    *,
    k: int,
    epsilon: float,
    nulls: str,
) -> set[str]:
    """Return the codes of the reservations of a table without sensitive
    questions and declared scales.

    ``quasi`` has values (as numbers), the width (None: equal), and whether they were recoded.
    """
    within, codes = Decimal(repr(float(epsilon))), set()
    answers = [answer for values in questions for answer in _known(values)]
    missing = any(value is None for values in questions for value in values)
    lacking = any(value is None for values, _, _ in quasi for value in values)
    if k == 1:
        codes.add("k-asks-nothing")
    if nulls == "wildcard" and (missing or lacking):
        codes.add("nulls-wildcard")
    if not answers and (questions or not quasi):
        codes.add("no-answers")
    if len(set(answers)) > 1 and max(answers) - min(answers) <= within:
        codes.add("epsilon-covers-range")
    else:
        for values in questions:
            known = _known(values)
            # where all answers are the same, whether there is one tells apart who has none
            alike = len(set(known)) == 1 and len(known) < len(values)
            if known and not alike and max(known) - min(known) <= within:
                codes.add("epsilon-covers-questions")
    if nulls == "strict" and missing and answers and 0 < max(answers) <= within:
        codes.add("epsilon-reaches-null-distance")
    for values, width, recoded in quasi:
        known = _known(values)
        if len(set(known)) < 2:
            if not known or recoded or len(known) == len(values):
                codes.add("quasi-asks-nothing")
        elif width is not None and max(known) - min(known) <= Decimal(repr(float(width))):
            codes.add("quasi-asks-nothing")
    return codes
