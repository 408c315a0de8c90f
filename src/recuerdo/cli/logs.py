"""What is logged to standard error."""

import logging


def log_from(level: str) -> None:
    """Our own records from this level on; of the libraries' only what is wrong, unless everything is wanted."""
    theirs = logging.DEBUG if level == "debug" else logging.WARNING
    logging.basicConfig(level=theirs, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("recuerdo").setLevel(level.upper())
