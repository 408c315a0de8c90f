"""The conversations of other systems: mappings of their fields, and readers of their rows."""

from recuerdo.integrations.systems.mappings import BUILT_IN, read_mapping
from recuerdo.integrations.systems.reading import BadRow, FoundMessage, RowReader

__all__ = ["BUILT_IN", "BadRow", "FoundMessage", "RowReader", "read_mapping"]
