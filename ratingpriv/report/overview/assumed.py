"""The fifth section: what was assumed, which nobody but the publisher can know."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.cautions import CODES, WILDCARD
from ratingpriv.numbers import in_full
from ratingpriv.report.overview.items import Facts, Item, Lines, Note, Part
from ratingpriv.report.overview.material import Material
from ratingpriv.report.wording import as_options

__all__ = ["assumed", "declares_scale"]

_NAMED = 60
_NULLS = {
    "strict": (
        "strict: an unanswered question is far from every rating, so only records that answered the same "
        "questions can be within epsilon of each other"
    ),
    "wildcard": WILDCARD,
    "known": (
        "known: the adversary is supposed to know nothing of what was left unanswered; whoever knows that a "
        "question was not answered rules out more records"
    ),
}


def assumed(material: Material) -> Part:
    """Return the section: roles of columns, null rules, selection, scale, and every caution."""
    audit, telling = material.judged, material.telling
    data = audit.dataset
    rows = [*_columns(material)]
    rows += [
        (f"Rule of {one.name}", f"records are the same on it if {_rule(one.within)}") for one in data.quasi
    ]
    rows.append(("Unanswered questions", _NULLS[audit.parameters.nulls]))
    if data.sensitive:
        how = "as the mean squared in the SD (the papers' rule)"
        rows.append(
            (
                "Unanswered sensitive questions",
                f"{audit.parameters.sensitive_nulls}: "
                + (how if audit.parameters.sensitive_nulls == "paper" else "not counted at all"),
            )
        )
    rows.append(("Scale", _scale(material)))
    of_data = material.audits[0] or audit
    chosen, told = of_data.document["selection"], of_data.dataset.selection
    said = "all of it" if chosen is None else str(told) or "a part; some records or questions were left out"
    rows.append(("Part of the data", said))
    if telling.internal and chosen is not None:
        rows.append(("Seed of the selection", str(chosen["seed"])))
    return Part(
        "assumed", "What was assumed", (Facts(tuple(rows)), *_roles_guessed(material), *_cautions(material))
    )


def _rule(within: float | None) -> str:
    return "it is equal" if within is None else f"it differs by at most {in_full(within)}"


def _columns(material: Material) -> Iterator[tuple[str, str]]:
    """Yield the columns of every role."""
    audit = material.judged
    data, roles = audit.dataset, audit.document["dataset"]["roles"]
    if roles is None:
        yield "Columns", "taken as the format has them; no codebook and no roles were given"
        yield "Questions", f"{data.issues:,}"
        yield "Sensitive questions", ", ".join(data.sensitive) or "none named"
        if data.columns.carried:
            yield "Released without having been audited", ", ".join(data.columns.carried)
        return
    for role, names in roles["columns"].items():
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        yield f"Role {role}", ", ".join(names[:_NAMED]) + more
    if roles["codebook"] is not None:
        yield "Codebook (SHA-256)", roles["codebook"]


def _roles_guessed(material: Material) -> Iterator[Item]:
    roles = material.judged.document["dataset"]["roles"]
    if roles is not None and roles["guessed"]:
        names = ", ".join(roles["guessed"])
        yield Note("open", f"Taken for known of people on nobody's word, and compared as equal: {names}.")


def _scale(material: Material) -> str:
    """Return the scale; to others only if somebody declared it, as its ends may be one person's answers."""
    audit, telling = material.judged, material.telling
    ends = audit.document["dataset"]["scale"]
    if ends is None:
        return "none: nothing is rated"
    said = f"{in_full(ends['min'])} to {in_full(ends['max'])}"
    declared = declares_scale(material)
    if declared:
        return f"{said}, declared"
    if telling.internal:
        return said + ("" if declared is None else ", the range of the data")
    return (
        "not declared: the range of the answers, which is not shown, as its ends may be the answers of few "
        "people (--scale MIN:MAX declares one)"
    )


def declares_scale(material: Material) -> bool | None:
    """Return whether somebody declared the scale; None where no document says it."""
    exposure = material.judged.document["exposure"]
    if exposure is not None:
        return bool(exposure["scale_declared"])
    verified = material.of("verify")
    claim = None if verified is None else verified["read"]["claim"]
    if claim is not None and claim.get("scale"):
        return bool(claim["scale"]["declared"])
    return None


def _cautions(material: Material) -> Iterator[Item]:
    """Yield what to know before relying on any of it; to others without the numbers of this data."""
    if material.telling.internal:
        said = [as_options(message) for _, message in material.cautions()]
    else:
        said = [CODES.get(code, code) for code, _ in material.cautions()]
    if said:
        yield "Before relying on any of this:"
        yield Lines(tuple(dict.fromkeys(said)))
    else:
        yield "Nothing in the results asked for caution beyond what this report says."
