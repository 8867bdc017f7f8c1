"""``__all__`` of every public module is sorted and is exactly what the module makes public."""

from __future__ import annotations

import ast
import importlib
import inspect
import re

from house.checkout import modules


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


PUBLIC = [name for name in modules() if is_public(name)]


def sort_key(name):
    """Ruff's order (RUF022): constants, then classes, then the rest; numbers inside names by value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def targets(node):
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Tuple | ast.List):
        return [name for element in node.elts for name in targets(element)]
    return []


def defined(statements):
    """Public names that the statements of a module define."""
    found = set()
    for node in statements:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(name for target in node.targets for name in targets(target))
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            found.update(targets(node.target))
        elif isinstance(node, ast.TypeAlias):
            found.add(node.name.id)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            found |= defined([*node.body, *getattr(node, "orelse", [])])
    return {name for name in found if not name.startswith("_")}


def offered(tree, *, package):
    """Imported names that a module must offer (all in a package, else ``import X as X``), and that it may."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    aliases = [
        alias for node in imports if (node.module or "").startswith("ratingpriv") for alias in node.names
    ]
    required = {alias.asname or alias.name for alias in aliases if package or alias.asname == alias.name}
    required = {name for name in required if not name.startswith("_")}
    return required, {alias.asname or alias.name for alias in aliases}


def test_all_is_what_is_public():
    for name in PUBLIC:
        check_that_all_is_what_is_public(name)


def check_that_all_is_what_is_public(name):
    path = modules()[name]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    public = defined(tree.body)
    required, possible = offered(tree, package=path.name == "__init__.py")
    declared = getattr(importlib.import_module(name), "__all__", None)
    if declared is None:
        assert not public | required, f"{name} has no __all__"
        return
    assert public | required <= set(declared), f"{name}: public, but not in __all__"
    assert set(declared) <= public | possible, (
        f"{name}: in __all__, but neither defined here nor imported from our packages"
    )


def test_all_is_sorted_without_repetition():
    for name in PUBLIC:
        declared = getattr(importlib.import_module(name), "__all__", [])
        assert list(declared) == sorted(set(declared), key=sort_key), name


def test_every_export_is_there_and_says_what_it_is():
    for name in PUBLIC:
        module = importlib.import_module(name)
        for export in getattr(module, "__all__", []):
            value = getattr(module, export)
            needs_docstring = inspect.isclass(value) or inspect.isroutine(value)
            assert not needs_docstring or inspect.getdoc(value), f"{name}.{export} has no docstring"
