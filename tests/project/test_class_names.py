"""One word per thing: a reader who knows what a class is called knows what it is."""

import ast
from collections import Counter, defaultdict

from source_tree import ROOT, modules


def test_no_class_name_means_two_things() -> None:
    """A leading underscore makes no other word."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                where[node.name.lstrip("_")].append(module.where)
    homonyms = {name: places for name, places in where.items() if len(places) > 1}
    assert not homonyms, f"give these a name of their own: {homonyms}"


def test_no_two_files_of_tests_have_one_name() -> None:
    """Pytest imports each by its name alone, and refuses the whole run where one name means two files."""
    counted = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in counted.items() if count > 1] == []
