"""The exception tree as the docstring of core/errors.py draws it."""

import inspect

from recuerdo.core import errors


def test_the_docstring_draws_every_error_below_its_parent() -> None:
    assert _drawn(errors.__doc__ or "") == _defined()


def test_every_error_says_in_its_docstring_what_it_means() -> None:
    assert not [name for name in _defined() if not (getattr(errors, name).__doc__ or "").strip()]


def _defined() -> dict[str, str]:
    """Each error's name and its parent's."""
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
    return {each.__name__: each.__bases__[0].__name__ for each in classes if each is not errors.RecuerdoError}


def _drawn(docstring: str) -> dict[str, str]:
    """The same, read from lines like `│   └── BudgetTooSmall   a window can't ...`."""
    parents: dict[str, str] = {}
    line_of_descent: list[str] = []
    for line in docstring.splitlines():
        branch, dashes, rest = line.partition("── ")
        if dashes:
            depth = len(branch) // 4 + 1
            line_of_descent[depth:] = [rest.split()[0]]
            parents[line_of_descent[depth]] = line_of_descent[depth - 1]
        elif line.startswith("RecuerdoError"):
            line_of_descent = [line.strip()]
    return parents
