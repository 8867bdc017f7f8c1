"""What is offered: a package lists it in ``__all__``, complete and sorted;
what is public says what it is.
"""

import ast
import importlib
import inspect
import re

from house.checkout import modules


def is_public(name):
    return not any(part.startswith("_") for part in name.split("."))


PUBLIC = [name for name in modules() if is_public(name)]


def sort_key(name):
    """Ruff's order (RUF022): constants, then classes, then the rest;
    numbers inside names by value.
    """
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def test_a_package_offers_what_it_imports_from_its_modules():
    for name in PUBLIC:
        if modules()[name].name != "__init__.py":
            continue
        tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        ours = [
            alias
            for node in imports
            if (node.module or "").startswith("ratingpriv")
            for alias in node.names
        ]
        imported = {alias.asname or alias.name for alias in ours}
        offered = getattr(importlib.import_module(name), "__all__", [])
        assert {one for one in imported if is_public(one)} <= set(offered), name
        assert list(offered) == sorted(set(offered), key=sort_key), name


def test_what_is_public_says_what_it_is():
    for name in PUBLIC:
        module = importlib.import_module(name)
        offered = getattr(module, "__all__", None) or [
            key for key, value in vars(module).items() if getattr(value, "__module__", "") == name
        ]
        for export in filter(is_public, offered):
            value = getattr(module, export)
            needs_docstring = inspect.isclass(value) or inspect.isroutine(value)
            assert not needs_docstring or inspect.getdoc(value), f"{name}.{export} has no docstring"
