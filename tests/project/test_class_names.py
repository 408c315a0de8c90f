"""One word per thing: a reader who knows what a class is called knows what it is."""

import ast
from collections import defaultdict

from source_tree import modules


def test_no_class_name_means_two_things() -> None:
    """A leading underscore makes no other word."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                where[node.name.lstrip("_")].append(module.where)
    homonyms = {name: places for name, places in where.items() if len(places) > 1}
    assert not homonyms, f"give these a name of their own: {homonyms}"
