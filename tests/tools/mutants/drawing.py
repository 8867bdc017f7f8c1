"""Which mutants there are: Cosmic Ray's operators at every place of a module."""

from __future__ import annotations

import ast
import difflib
import functools
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

__all__ = ["Mutant", "is_equivalent", "mutants_of"]

_NO_PYTHON = "no Python"
PACKAGE = Path(__file__).parents[3] / "ratingpriv"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")

_COMPARISONS = (
    "Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt",
    "Is_IsNot", "IsNot_Is",
)  # fmt: skip
_BINARY = (
    "Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul", "LShift_RShift",
    "BitAnd_BitOr", "BitOr_BitAnd",
)  # fmt: skip
_OTHERS = (
    "AddNot", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub",
    "ReplaceUnaryOperator_Delete_Invert", "NumberReplacer", "ReplaceAndWithOr", "ReplaceOrWithAnd",
    "ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak",
    "ZeroIterationForLoop",
)  # fmt: skip
OPERATORS = (
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in _COMPARISONS),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in _BINARY),
    *(f"core/{name}" for name in _OTHERS),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module.

    Attributes
    ----------
    module : below ratingpriv, with dots
    operator, occurrence : what Cosmic Ray changes, and at which of its places
    before, after : the changed lines
    line : of the first of them
    code : the whole module, changed
    """

    module: str
    operator: str
    occurrence: int
    before: str
    after: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line}\n  - {self.before}\n  + {self.after}"


def path_of(module: str) -> Path:
    """Return the file of a module."""
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def mutants_of(module: str) -> Iterator[Mutant]:
    """Yield every mutant of ``module`` that changes what is computed."""
    source = path_of(module).read_text(encoding="utf-8")
    meaning = _meaning(source)
    for operator in OPERATORS:
        for occurrence in range(10_000):
            code = mutate_code(source, get_operator(operator)(), occurrence)
            if code is None:
                break
            if _meaning(code) not in (meaning, _NO_PYTHON):
                yield Mutant(module, operator, occurrence, *_changed(source, code), code)


def is_equivalent(mutant: Mutant) -> bool:
    """Whether the mutant is named as no error in equivalent.toml: itself, or every change of its line."""
    itself, lines = _named()
    return (mutant.module, mutant.before, mutant.after) in itself or (mutant.module, mutant.before) in lines


@functools.cache
def _named() -> tuple[set[tuple[str, str, str]], set[tuple[str, str]]]:
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    itself = {(one["module"], one["before"], one["after"]) for one in listed["mutant"]}
    return itself, {(one["module"], line) for one in listed["lines"] for line in one["lines"]}


def _changed(source: str, code: str) -> tuple[str, str, int]:
    lines = source.splitlines(), code.splitlines()
    for tag, start, end, other, last in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        if tag != "equal":
            before, after = (
                " ".join(line.strip() for line in part)
                for part in (lines[0][start:end], lines[1][other:last])
            )
            return before, " ".join(after.split()), start + 1
    raise ValueError("nothing is changed")


def _meaning(code: str) -> str:
    """Return what a module does: its tree without annotations, and how arguments and slots are declared."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return _NO_PYTHON
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.arguments):  # which of them are named by callers
            node.args, node.posonlyargs = [*node.posonlyargs, *node.args, *node.kwonlyargs], []
            node.defaults, node.kw_defaults = [*node.defaults, *filter(None, node.kw_defaults)], []
            node.kwonlyargs = []
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dataclass":
            node.keywords = []
        elif isinstance(node, ast.TypeAlias):
            node.value = ast.Constant(None)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):  # names of annotations
            node.test = ast.Constant(None)
    return ast.dump(tree)
