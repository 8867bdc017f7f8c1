"""What decides a verdict or a claim, and the tests of its room."""

from __future__ import annotations

__all__ = ["ROOMS"]

_AUDIT = (
    "tests/audit/test_golden.py",
    "tests/audit",
    "tests/properties/test_laws.py",
    "tests/properties/test_engines.py",
)
_FRONTIER = ("tests/audit/frontier",)
_MOMENTS = (
    "tests/proximity/test_moments.py",
    "tests/proximity/test_outliers.py",
    "tests/proximity/test_golden.py",
    "tests/audit/test_golden.py",
    "tests/properties/test_engines.py",
)
_PARTITION = (
    "tests/partition/test_verifying.py",
    "tests/partition/files",
    "tests/partition/test_partition.py",
)
_DISTORTION = (
    "tests/partition/distortion",
    "tests/anonymize/release",
    "tests/anonymize/modification",
    "tests/anonymize/suppression",
)
_RELEASE = ("tests/anonymize/release", "tests/cli/test_verify.py", "tests/cli/test_anonymize.py")

ROOMS: dict[str, tuple[str, ...]] = {
    "audit.conclusion": _AUDIT,
    "audit.verdict": _AUDIT,
    "audit.risk": _AUDIT,
    "audit.aggregates": _AUDIT,
    "audit.judging": _AUDIT,
    "audit.records": _AUDIT,
    "audit.worst": _AUDIT,
    "audit.bounds": _AUDIT,
    "audit.cautions": _AUDIT,
    "audit.inference": ("tests/audit", "tests/properties/test_inference.py"),
    "audit.tolerance": ("tests/audit/test_tolerance.py", "tests/cli/test_gates.py"),
    "audit.frontier.search": _FRONTIER,
    "audit.frontier.sweep": _FRONTIER,
    "audit.frontier._sweep": _FRONTIER,
    "audit.frontier.candidates": _FRONTIER,
    "audit.frontier.frontier": _FRONTIER,
    "proximity.moments": _MOMENTS,
    "proximity.levels": (
        "tests/proximity/comparison/test_levels.py",
        "tests/proximity/comparison/test_distinct_levels.py",
    ),
    "proximity.reservations": ("tests/proximity/test_reservations.py", "tests/audit/test_cautions.py"),
    "partition.verifying": _PARTITION,
    "partition._verifying": _PARTITION,
    "partition.files.certificate_check": ("tests/partition/files", "tests/cli/test_partition.py"),
    "partition.distortion.measure": _DISTORTION,
    "partition.distortion._measure": _DISTORTION,
    "anonymize.suppression.suppress": ("tests/anonymize/suppression",),
    "anonymize.suppression.remaining": ("tests/anonymize/suppression",),
    "anonymize.suppression.diversifying": ("tests/anonymize/suppression",),
    "anonymize.suppression.k_core": ("tests/anonymize/suppression",),
    "anonymize.predictive.diversity": ("tests/anonymize/predictive/test_diversity.py",),
    "anonymize.result": (*_RELEASE, "tests/anonymize"),
    "anonymize.release.manifest": _RELEASE,
    "anonymize.release.verify": _RELEASE,
    "anonymize.release.rereading": _RELEASE,
    "anonymize.release.rewriting": _RELEASE,
    "anonymize.release.result": _RELEASE,
    "graph.binding": ("tests/graph/test_binding.py", "tests/queries/test_refusals.py"),
    "base.requirement": ("tests/base/test_requirement.py", "tests/cli/test_gates.py"),
    "report.limits": ("tests/report/test_gate_numbers.py", "tests/cli/test_gates.py"),
    "report.gates": ("tests/report/test_gate_outcomes.py", "tests/cli/test_gates.py"),
    "attack.evaluation.measures": ("tests/attack/evaluation", "tests/attack/test_study.py"),
}
"""Modules of ratingpriv, and the tests that have to notice, those first that notice most."""
