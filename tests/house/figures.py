"""What the house costs: ``make house`` prints its rooms, arrows,
circles and sizes beside the bars.
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import networkx as nx
from house.checkout import ROOT, modules

__all__ = ["ROOMS", "arrows", "circles", "complexity", "import_graph"]

ROOMS = (
    *("base", "documents", "data", "proximity", "partition", "graph", "audit", "attack", "utility"),
    *("anonymize", "studies", "spark", "report", "desk", "cli"),
)
"""In their order: a room imports only from those before it."""

_VAGUE = {
    *("one", "found", "place", "known", "own", "told"),
    *("said", "at", "whole", "mine", "there", "kept", "asked"),
}
"""Names that could be of anything."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def import_graph(trees: Mapping[str, ast.Module]) -> nx.DiGraph:
    """Return which module imports which: for types only, from within functions and by name, too."""
    graph = nx.DiGraph()
    graph.add_nodes_from(trees)
    packages = {name.rpartition(".")[0] for name in trees}
    for module, tree in trees.items():
        members = {name if name in trees else name.rpartition(".")[0] for name in _imports(tree)}
        named = _strings(tree) - packages - {module}
        graph.add_edges_from((module, other) for other in members | named if other in trees)
    return graph


def _strings(tree: ast.Module) -> set[str]:
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {text for text in strings if isinstance(text, str)}


def _imports(tree: ast.AST) -> Iterator[str]:
    if isinstance(tree, ast.Import):
        yield from (alias.name for alias in tree.names)
    elif isinstance(tree, ast.ImportFrom):
        yield from (f"{tree.module}.{alias.name}" for alias in tree.names)
    for child in ast.iter_child_nodes(tree):
        yield from _imports(child)


def circles(graph: nx.DiGraph) -> list[list[str]]:
    """Return the modules that import themselves by way of others, or at once."""
    rings = [sorted(ring) for ring in nx.strongly_connected_components(graph) if len(ring) > 1]
    return rings + [[name] for name in nx.nodes_with_selfloops(graph)]


def arrows(graph: nx.DiGraph) -> set[tuple[str, str]]:
    """Return which room imports from which; the public ``ratingpriv`` itself is none."""
    ends = ((_room(name), _room(other)) for name, other in graph.edges)
    return {(room, other) for room, other in ends if room and other and room != other}


def _room(module: str) -> str:
    parts = module.split(".")
    return (
        parts[1] if parts[0] == "ratingpriv" and len(parts) > 1 and parts[1] != "__main__" else ""
    )


def _figures() -> Iterator[tuple[str, object, str]]:
    """Yield a figure's name, what it is, and its bar."""
    sources = {name: path.read_text(encoding="utf-8") for name, path in modules().items()}
    trees = {name: ast.parse(text) for name, text in sources.items()}
    graph = import_graph(trees)
    runs = arrows(graph)
    up = [run for run in runs if ROOMS.index(run[0]) < ROOMS.index(run[1])]
    yield "rooms, arrows, arrows up", f"{len(ROOMS)}, {len(runs)}, {len(up)}", "≤ 15, ≤ 100, ≤ 1"
    yield "circles", len(circles(graph)), "0"
    yield "lines of ratingpriv + loaders", _lines(modules().values()), "≤ 70000"
    yield "lines of tests", _lines((ROOT / "tests").rglob("*.py")), "≤ 55000"
    complexities = [complexity(f) for tree in trees.values() for f in _functions(tree)]
    hard = sum(20 < one <= 40 for one in complexities)
    yield (
        "functions of complexity D or E, F",
        f"{hard}, {sum(one > 40 for one in complexities)}",
        "≤ 40, 0",
    )
    wide = sum(len(line) > 100 for text in sources.values() for line in text.splitlines())
    yield "lines over 100 columns", wide, "0"
    yield (
        "sources that name max_share",
        sum("max_share" in text for text in sources.values()),
        "≤ 3",
    )
    yield (
        "functions over 8 parameters, no kernels",
        sum(_parameters(tree) for tree in trees.values()),
        "≤ 20",
    )
    short = [
        n
        for n, path in modules().items()
        if path.name != "__init__.py" and sources[n].count("\n") < 40
    ]
    yield "sources under 40 lines", len(short), "≤ 20"
    yield "fmt: skip", sum(text.count("fmt: skip") for text in sources.values()), "≤ 100"
    yield "vague names over five lines", sum(_vague(tree) for tree in trees.values()), "≤ 100"
    stored = [name for tree in trees.values() for name in _stored(tree)]
    vague = 100 * sum(name in _VAGUE for name in stored) / len(stored)
    yield "vague names by assignment, %", f"{vague:.1f}", "≤ 2"
    comments, code = (
        sum(counts) for counts in zip(*map(_comments, modules().values()), strict=True)
    )
    yield "code lines a comment", round(code / comments), "≤ 40"


def _lines(paths: Iterable[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def _parameters(tree: ast.Module) -> int:
    functions = [
        node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and not _is_kernel(node)
    ]
    sizes = [node.args.posonlyargs + node.args.args + node.args.kwonlyargs for node in functions]
    return sum(len([one for one in size if one.arg not in ("self", "cls")]) > 8 for size in sizes)


def _is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        re.match(r"(compiled|part|routine|\w*kernel)\b", ast.unparse(name))
        for name in function.decorator_list
    )


def _functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield functions and methods; what is defined inside of one is a part of it."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, _FUNCTIONS):
            yield child
        else:
            yield from _functions(child)


def complexity(function: ast.AST) -> int:
    """Return McCabe's number of paths, counted as radon does: over 20 is its class D, over 40 F."""
    paths = isinstance(function, _FUNCTIONS)
    for node in ast.iter_child_nodes(function):
        match node:
            case ast.If() | ast.IfExp() | ast.Lambda() | ast.Assert():
                paths += 1
            case ast.For() | ast.AsyncFor() | ast.While():
                paths += 1 + bool(node.orelse)
            case ast.Try():
                paths += len(node.handlers) + bool(node.orelse)
            case ast.BoolOp():
                paths += len(node.values) - 1
            case ast.comprehension():
                paths += 1 + len(node.ifs)
            case ast.Match():
                last = node.cases[-1].pattern
                paths += len(node.cases) - (isinstance(last, ast.MatchAs) and last.pattern is None)
        paths += complexity(node)
    return paths


def _vague(tree: ast.Module) -> int:
    count = 0
    for function in (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)):
        lines: dict[str, list[int]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in _VAGUE:
                lines.setdefault(node.id, []).append(node.lineno)
        count += sum(max(at) - min(at) > 5 for at in lines.values())
    return count


def _stored(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _comments(path: Path) -> tuple[int, int]:
    """Return how many lines are comments that say something, and how many have code."""
    comments, code = set(), set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                if not re.match(r"# (fmt|type|noqa|pragma)\b", token.string):
                    comments.add(token.start[0])
            elif token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER):
                code.add(token.start[0])
    return len(comments), len(code)


if __name__ == "__main__":
    for name, figure, bar in _figures():
        sys.stdout.write(f"{name:40} {figure!s:>14}   {bar}\n")
