"""What is logged to standard error."""

import logging

from recuerdo.observability.logs import ConsoleFormatter, JsonFormatter, Reminders

_LIBRARIES_THAT_TELL = ("uvicorn",)
"""Those that say at `debug` what they do without saying what was sent: others would log prompts and keys."""


def log_from(level: str, form: str = "console") -> None:
    """Our own records from this level on; of the libraries only what is wrong, and at `debug` the requests too."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else ConsoleFormatter())
    handler.addFilter(Reminders())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("recuerdo").setLevel(level.upper())
    for name in _LIBRARIES_THAT_TELL:
        logging.getLogger(name).setLevel(logging.INFO if level == "debug" else logging.WARNING)
