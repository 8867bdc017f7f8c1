"""Releases that are anonymous: ratings modified or records withheld, and the proof read from the file."""

from __future__ import annotations

from ratingpriv.anonymize.modify import modify
from ratingpriv.anonymize.release import write_release
from ratingpriv.anonymize.released import Release
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.anonymize.suppress import suppress
from ratingpriv.anonymize.verify import verify

__all__ = ["Anonymized", "Release", "modify", "suppress", "verify", "write_release"]
