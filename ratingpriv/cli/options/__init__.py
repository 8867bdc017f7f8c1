"""Options that commands share, each written once."""

from __future__ import annotations

from ratingpriv.cli.options.data import DATA_FILE, TRUTH, Data, truth_of
from ratingpriv.cli.options.diversity import Diversity, GroupDiversity
from ratingpriv.cli.options.results import AS_JSON, CSV_SAFE, FORCE, Drawn, Gated, Printed, Results
from ratingpriv.cli.options.rules import ACCEPT, NULLS, AuditModel, K, L, Model, Resources, Rules
from ratingpriv.cli.options.source import DATASET, Store

__all__ = [
    "ACCEPT",
    "AS_JSON",
    "CSV_SAFE",
    "DATASET",
    "DATA_FILE",
    "FORCE",
    "NULLS",
    "TRUTH",
    "AuditModel",
    "Data",
    "Diversity",
    "Drawn",
    "Gated",
    "GroupDiversity",
    "K",
    "L",
    "Model",
    "Printed",
    "Resources",
    "Results",
    "Rules",
    "Store",
    "truth_of",
]
