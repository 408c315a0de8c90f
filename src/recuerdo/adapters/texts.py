"""Where SQL databases keep texts, for TextRepository: by kind the table, its key, and its columns with texts."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

from recuerdo.core.encryption import StoredText, TextKind


class TextTable(NamedTuple):
    """A table with texts.

    A table that has no users has a `parent`, whose rows have a tenant, a user and a thread, and a `link` to it: the
    column that both have. `key` is the rest of its key. `least` comes before each key. The columns
    `names` hold what the texts are bound to besides the key.
    """

    name: LiteralString
    key: Sequence[LiteralString]
    least: Sequence[Any]
    texts: Sequence[LiteralString]
    names: Sequence[LiteralString] = ()
    parent: LiteralString = ""
    link: LiteralString = ""

    @property
    def whole_key(self) -> Sequence[LiteralString]:
        """The columns of a row's key in a StoredText."""
        return ('"user"', "thread", self.link, *self.key) if self.parent else self.key

    def stored(self, row: Sequence[Any]) -> StoredText:
        """The row of the columns `whole_key`, `names` and `texts`."""
        names, texts = len(self.whole_key), len(self.whole_key) + len(self.names)
        return StoredText(tuple(row[:names]), row[0], tuple(row[names:texts]), tuple(row[texts:]))

    def address(self, stored: StoredText) -> dict[LiteralString, Any]:
        """The row's key in the table itself, by its columns."""
        whole = dict(zip(self.whole_key, stored.key, strict=True))
        return {name: whole[name] for name in (self.link, *self.key)} if self.parent else whole

    def seen(self, stored: StoredText) -> dict[LiteralString, Any]:
        """The columns `names` and `texts`, as they were read."""
        return dict(zip((*self.names, *self.texts), (*stored.names, *stored.texts), strict=True))

    def behind(self, after: StoredText | None) -> Sequence[Any]:
        """The values after which a page begins: the user and thread of the parent, if any, and the key."""
        if after is None:
            return ("", "", *self.least) if self.parent else self.least
        return (*after.key[:2], *after.key[3:]) if self.parent else after.key


_THREADS: tuple[LiteralString, LiteralString] = ("threads", "epoch")
_CHECKPOINTS: tuple[LiteralString, LiteralString] = ("checkpoint_threads", "key")

TEXT_TABLES: Mapping[TextKind, TextTable] = {
    "message": TextTable("messages", ("seq",), (-1,), ("body",), ("role", "id", "checksum"), *_THREADS),
    "thread": TextTable("threads", ('"user"', "thread"), ("", ""), ("title",)),
    "message vector": TextTable("passage_vectors", ("seq",), (-1,), ("vector",), ("model",), *_THREADS),
    "memory": TextTable(
        "memories", ('"user"', "id"), ("", ""), ("text", "value", "review", "vector"), ("id", "embedder")
    ),
    "memory change": TextTable("memory_changes", ('"user"', "version", "place"), ("", -1, -1), ("before", "after")),
    "checkpoint": TextTable("checkpoints", ("namespace", "id"), ("", ""), ("body", "metadata"), (), *_CHECKPOINTS),
    "checkpoint write": TextTable(
        "checkpoint_writes",
        ("namespace", "checkpoint", "task", "place"),
        ("", "", "", -1),
        ("body",),
        (),
        *_CHECKPOINTS,
    ),
    "checkpoint segment": TextTable("checkpoint_segments", ("log", "start"), ("", -1), ("data",), (), *_CHECKPOINTS),
    "checkpoint value": TextTable("checkpoint_values", ("digest",), (b"",), ("digest", "data"), (), *_CHECKPOINTS),
    "document": TextTable("documents", ('"user"', "kind", "id"), ("", "", ""), ("body",)),
}
"""The table of each kind."""

TENANT_TABLES: Sequence[LiteralString] = ("threads", "memory_owners", "memories", "checkpoint_threads", "documents")
"""The tables whose tenants are all that have texts."""
