"""The exports that other services give to people: conversations with who said what and when, and facts."""

from recuerdo.integrations.exports.export import EXPORTS, ForeignExport, ReadingOptions, read_export

__all__ = ["EXPORTS", "ForeignExport", "ReadingOptions", "read_export"]
