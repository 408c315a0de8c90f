"""The services whose exports can be read."""

from collections.abc import Callable, Mapping

from recuerdo.core.errors import InvalidInput
from recuerdo.integrations.exports import chatgpt, claude, mem0, whatsapp, zep
from recuerdo.integrations.exports.shapes import ForeignExport, ReadingOptions

EXPORTS: Mapping[str, Callable[[bytes, str, ReadingOptions], ForeignExport]] = {
    "chatgpt": chatgpt.read,
    "claude": claude.read,
    "whatsapp": whatsapp.read,
    "mem0": mem0.read,
    "zep": zep.read,
}


def read_export(service: str, data: bytes, name: str, reading: ReadingOptions = ReadingOptions()) -> ForeignExport:  # noqa: B008
    """The export of a service, from the bytes of the file `name`.

    Raises InvalidInput for another service, for a file that is no such export, and for what only the caller can say.
    """
    if service not in EXPORTS:
        raise InvalidInput("--from", f"must be one of {', '.join(EXPORTS)}")
    found = EXPORTS[service](data, name, reading)
    if not found.conversations and not found.facts:
        raise InvalidInput("FILE", "has nothing to import")
    return found
