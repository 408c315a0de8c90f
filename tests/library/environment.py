"""A process that tells its environment."""

import os


def main() -> None:
    print(dict(os.environ))
