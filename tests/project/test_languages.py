"""Words of a language are in its folder: code that reads texts names none of its own."""

import ast
import re
from collections.abc import Iterator
from importlib import import_module

import pytest
from source_tree import Module, modules

from recuerdo.memories.locales import LANGUAGES

OF_ALL_LANGUAGES = (
    "recuerdo.memories.locales.",
    "recuerdo.memories.extraction.lexicon.",  # places, jobs and the like, by kind
    "recuerdo.searching.lexicon",  # the same for search, which memories build on
    "recuerdo.integrations.exports.whatsapp",  # lines that WhatsApp writes
)

TELLING = frozenset(
    """que para los las ella ele ela meu minha mi tengo tenho por nao con sin sem del das dos pero mas yo eu mis tu
    vos voce usted una uma como cuando quando onde donde""".split()  # noqa: SIM905
)
"""Words that are of Spanish or Portuguese, and hardly of code."""


def _words_in_code(module: Module) -> Iterator[str]:
    prose = {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found = TELLING.intersection(re.findall(r"[a-z]+", node.value.lower()))
            if len(found) > 1 or (found and "|" in node.value):
                yield f"{module.where}:{node.lineno} has {', '.join(sorted(found))}"


def test_words_of_languages_are_in_their_folders() -> None:
    readers = [each for each in modules().values() if not f"{each.name}.".startswith(OF_ALL_LANGUAGES)]
    found = [line for module in readers for line in _words_in_code(module)]
    assert not found, f"Move these to memories/locales/: {found}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_each_language_has_the_modules_of_the_others(code: str) -> None:
    def names(of: str) -> set[str]:
        folder = f"recuerdo.memories.locales.{of}."
        return {name.removeprefix(folder) for name in modules() if name.startswith(folder)}

    assert names(code) == names(LANGUAGES[0])
    for name in names(code):
        import_module(f"recuerdo.memories.locales.{code}.{name}")
