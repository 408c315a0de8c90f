"""The exports that other services give to people: conversations with who said what and when, and facts."""

from recuerdo.integrations.exports.export import EXPORTS, ForeignExport, Reading, read_export

__all__ = ["EXPORTS", "ForeignExport", "Reading", "read_export"]
