"""The eighth section: what the words of a report mean, as docs/glossary.md has it."""

from __future__ import annotations

from ratingpriv.report.overview.items import Part, Terms

__all__ = ["TERMS", "words"]

TERMS = {
    "Adversary": (
        "Whoever tries to find people in data: somebody who knows some ratings of them, more or less "
        "exactly. Presets have names: colleague, web-shop, netflix, everything."
    ),
    "Anonymisation": (
        "Changing or leaving out data so that a privacy model holds. Here: modification and suppression. "
        "It is a statement about a file and its parameters, not about the law."
    ),
    "Attack": (
        "Trying to re-identify records with knowledge from elsewhere, as Narayanan and Shmatikov did with"
        " the Netflix data. That an attack found little does not prove that no other attack finds more."
    ),
    "Attribute inference": (
        "Guessing a value of somebody, such as a sensitive answer, from what the records that could be "
        "theirs have in common, without telling which one is theirs. An attack measures how often its "
        "likeliest value is correct, beside the commonest answer of everybody, which needs no knowledge."
    ),
    "Carried column": (
        "One that is released although nobody audited it (role carry), only by an explicit word."
    ),
    "Direct identifier": (
        "A column that names a person or leads straight to one: name, e-mail address, phone number, "
        "account or device number, free text. It has no place in a release."
    ),
    "ε (epsilon)": (
        "A distance between ratings: two ratings that differ by no more than ε count as indistinguishable"
        " within ε. It is not the privacy budget of differential privacy, and it is not how far off an "
        "adversary may be: neighbourhoods are centred on the records themselves. A larger ε is the weaker"
        " demand."
    ),
    "ε-proximate": (
        "Two records are ε-proximate if their ratings differ by at most ε on every question that counts."
    ),
    "Exposure": (
        "How many records fit knowledge that is off by up to an error E on every question: in "
        "expectation, and at worst. A neighbourhood is about exact knowledge; exposure is not."
    ),
    "False positive": ("An attack that names a record although the person is not in the data."),
    "Front": (
        "Of releases that were measured, those that no other one beats: at least as good in every column "
        "compared and better in one. It says nothing of what was not measured, and is no verdict."
    ),
    "Frontier": ("Which k and which l hold at which ε, for data as they are."),
    "Hamming group": (
        "The records that answered exactly the same questions. Under the strict rule, and with ε below "
        "the scale's maximum, only records of one Hamming group can be ε-proximate."
    ),
    "Inference": (
        "Learning an answer that somebody did not give, or that was to stay secret, for example because "
        "everybody who could be that person gave the same one. (k,ε)-anonymity does not protect against "
        "it; l is a first, weak demand. Every audit with a sensitive question reports the largest share; "
        "--max-share, --distinct and --entropy are stronger demands."
    ),
    "Information loss (L1)": (
        "The sum of the absolute changes of all ratings, an unanswered cell counting as 0. So suppressing"
        " or imputing a 0 counts nothing, though it is a change. The papers call it distortion."
    ),
    "k": ("The size that every neighbourhood shall have at least, the record itself included."),
    "(k,ε)-anonymity": ("Every record has at least k−1 others that are ε-proximate with it."),
    "(k,ε,l)-anonymity": (
        "In addition the sensitive answers of every neighbourhood have a standard deviation of at least l."
    ),
    "Key": (
        "The private file that says which released record is which original one. Whoever has it can undo "
        "the pseudonyms. It is never published."
    ),
    "Known": (
        "A rule for unanswered questions in audits. The neighbourhood of a record t are the records that "
        "answered at least what t answered, each answer within ε: what t left unanswered is unknown to "
        "the adversary. Asymmetric, so it has no pairs and no partition. See strict, wildcard for the "
        "other two."
    ),
    "l": (
        "The standard deviation that the sensitive answers of every neighbourhood shall have at least. "
        "Nineteen equal answers of twenty can have one of 0.8: read it together with the largest share."
    ),
    "Manifest": (
        "The public file beside a release that states what is claimed of it. verify counts again what can"
        " be counted. It may be signed."
    ),
    "Marketer risk": (
        "The mean over all records of 1 / (size of the neighbourhood): the share that is right, on "
        "average, of picks at random, each among the records within ε of one record's exact ratings."
    ),
    "Modification": ("Anonymisation by changing ratings."),
    "Neighbourhood, N(t)": (
        "The record t together with all records that are ε-proximate with it. Neighbourhoods overlap."
    ),
    "No protection": (
        "An ε at which any two ratings are indistinguishable (at least the range of the ratings), or from"
        " which on a missing rating keeps nobody apart (at least the scale's maximum, under strict). The "
        "frontier never offers one, and an audit at one says so in its verdict."
    ),
    "Profile disclosure": (
        "That everything in the file about a person can be read, although perhaps several records could "
        "be theirs: those that fit best are identical. Whoever makes records identical hides whose they "
        "are, and not what they say."
    ),
    "Prosecutor risk": (
        "1 / (size of the neighbourhood) of one record: the chance that a pick at random among the "
        "records within ε of its exact ratings is right. Its maximum is that of the record with the "
        "fewest. It is no bound on what other adversaries achieve: whoever knows the ratings exactly "
        "would rather pick the record that equals them."
    ),
    "Quasi-identifier": (
        "A column that does not name a person, but that an adversary may know: age, region, gender, and "
        "here every rating. Quasi-identifiers together may point to one person. Ratings are compared "
        "within ε; every other one has a rule of its own, whatever ε is: equal (the default), or within a"
        " number."
    ),
    "Query error": (
        "How far off counts are that are taken from a release: the difference to the true count, as a "
        'share of it, on average over random questions of the kind "how many said 4 or 5 here and 1 '
        'there".'
    ),
    "Question, item, issue": (
        "What records rate: a question of a survey, a film, a product. The papers, the JSON and the "
        "Python parameters say issue."
    ),
    "Rating": ("An answer on an ordered numeric scale."),
    "Recoding": (
        "Making values coarser on reading, in what is audited and released: bands (20-29), rounding, top-"
        "coding and bottom-coding, the groups of a hierarchy."
    ),
    "Record": ("All ratings of one person. Also: respondent, user, transaction."),
    "Re-identification": (
        "Finding out whose record a record is. Re-identification risk is reported as prosecutor and "
        "marketer risk."
    ),
    "Release": ("The file that is published, with its manifest."),
    "Scale": (
        "The smallest and the largest rating that can be given; where it is not declared, that there are "
        "on the questions looked at. Its maximum is the distance between a rating and an unanswered "
        "question under the strict rule."
    ),
    "SD": ("Standard deviation (of the whole group: the sum of squares is divided by its size)."),
    "Selection": (
        "The part of the data that a result is about, where questions or records were left out. The "
        "verdict, the JSON and the file of records say it."
    ),
    "Sensitive": (
        "Of a question: the answer is what must not be learnt. Sensitive answers are not counted as known"
        " to the adversary."
    ),
    "Singling out": (
        "Isolating one person's record in the data. Exact knowledge of all ratings singles out every "
        "record that equals no other, whatever ε is. Knowledge that is off singles out a record that "
        "nothing else fits; whether a record is alone within ε decides neither."
    ),
    "Strict, wildcard": (
        "Rules for unanswered questions; a third, known, is for audits. Strict: an unanswered question is"
        " far from every rating. Wildcard: it matches anything; that says nothing of an adversary who "
        "knows that a question was answered."
    ),
    "Suppression": ("Leaving records (suppressed records) or cells (suppressed cells) out of a release."),
    "Unanswered": (
        "There is no rating. It is never counted as 0, except in the papers' measure of information loss."
    ),
    "Utility": (
        "What a release is still good for, measured in several ways. It says nothing of who is protected."
    ),
    "Violator": (
        "A record that does not meet the privacy model: its neighbourhood is too small, or its sensitive "
        "answers vary too little."
    ),
    "Worthless release": (
        "The original with every rating replaced by a random one of the same question. Beside it one sees"
        " what a measure of utility says of data from which nothing can be learned but how each question "
        "is answered."
    ),
}
"""Word -> what it means. A test holds this to the documentation."""


def words() -> Part:
    """Return the glossary."""
    return Part("words", "The words of this report", (Terms(tuple(TERMS.items())),))
