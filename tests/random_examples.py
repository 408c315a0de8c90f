"""How many examples Hypothesis tries: `make soak` multiplies those of a test run by RECUERDO_TEST_EXAMPLES."""

import os

_TIMES = int(os.environ.get("RECUERDO_TEST_EXAMPLES", "1"))


def examples(number: int) -> int:
    """Return the number of examples for a test that tries so many in a test run."""
    return number * _TIMES
