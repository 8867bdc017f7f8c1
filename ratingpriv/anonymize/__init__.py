"""Releases that are anonymous: ratings modified or records suppressed,
and the proof read from the file.

``ratingpriv.anonymize(table, method, …)`` is :func:`ratingpriv.anonymize.methods.anonymize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer

if TYPE_CHECKING:
    from ratingpriv.anonymize.methods import anonymize as anonymize
    from ratingpriv.anonymize.methods import blank as blank
    from ratingpriv.anonymize.methods import modify as modify
    from ratingpriv.anonymize.methods import suppress as suppress
    from ratingpriv.anonymize.methods import swap as swap
    from ratingpriv.anonymize.release.releasing import Publish as Publish
    from ratingpriv.anonymize.release.releasing import make_release as make_release
    from ratingpriv.anonymize.release.result import Release as Release
    from ratingpriv.anonymize.release.verify import verify as verify
    from ratingpriv.anonymize.release.writing import write_release as write_release
    from ratingpriv.anonymize.result import Anonymized as Anonymized

__all__ = [
    "Anonymized",
    "Publish",
    "Release",
    "anonymize",
    "blank",
    "make_release",
    "modify",
    "suppress",
]
__all__ += ["swap", "verify", "write_release"]

__getattr__ = _offer(
    __name__,
    {
        "Anonymized": "ratingpriv.anonymize.result",
        "Publish": "ratingpriv.anonymize.release.releasing",
        "Release": "ratingpriv.anonymize.release.result",
        "anonymize": "ratingpriv.anonymize.methods",
        "blank": "ratingpriv.anonymize.methods",
        "make_release": "ratingpriv.anonymize.release.releasing",
        "modify": "ratingpriv.anonymize.methods",
        "suppress": "ratingpriv.anonymize.methods",
        "swap": "ratingpriv.anonymize.methods",
        "verify": "ratingpriv.anonymize.release.verify",
        "write_release": "ratingpriv.anonymize.release.writing",
    },
)
