"""Times as texts."""

from datetime import datetime


def read_time(text: object) -> datetime | None:
    """The aware time that an ISO 8601 text names; None for anything else."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else None
