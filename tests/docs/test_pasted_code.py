"""Code of pages that name the prompt of `python -m asyncio` can be pasted there."""

import ast
import codeop

import pytest
from markdown_blocks import ROOT, blocks_of, page_name, pages

PROMPT = "`python -m asyncio`"
PASTED = [page for page in pages() if PROMPT in page.read_text("utf-8")]


def refusals(code: str) -> list[str]:
    """Return the errors of the prompt of Python 3.11 and 3.12 for the lines, with an empty one behind them.

    An indented block ends with an empty line there, and with nothing else.
    """
    compiler = codeop.CommandCompiler()
    compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    waiting, refused = list[str](), list[str]()
    for line in [*code.splitlines(), ""]:
        waiting.append(line)
        try:
            if compiler("\n".join(waiting), symbol="single") is None:
                continue
        except SyntaxError as error:
            refused.append(f"{line!r}: {error.msg}")
        waiting.clear()
    return refused


def test_the_prompt_takes_no_statement_right_behind_a_block() -> None:
    assert refusals("async with a as b:\n    c()\nprint(b)") == ["'print(b)': invalid syntax"]
    assert refusals("async with a as b:\n    c()\n\nprint(b)\n") == []


def test_some_pages_name_the_prompt() -> None:
    assert ROOT / "README.md" in PASTED


@pytest.mark.parametrize("page", PASTED, ids=page_name)
def test_code_can_be_pasted_into_the_prompt(page) -> None:
    shown = [block for block in blocks_of(page) if block.language == "python" and not block.is_hidden]
    assert [(block.line, refusal) for block in shown for refusal in refusals(block.code)] == []
