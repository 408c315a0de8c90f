"""The SQL that reads another system's table, the same for every SQL database but for quotes and placeholders."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput
from recuerdo.core.sources import OwnerMapping, SourceMapping, owner_fields


class SourceQueries(NamedTuple):
    """The statements for one mapping; `owner` takes the conversation as its parameter."""

    look: str
    rows: str
    size: str
    owner: str


def quoted_name(name: str) -> str:
    """The name as an identifier; dots separate a schema from its table."""
    return ".".join(f'"{part.replace(chr(34), chr(34) * 2)}"' for part in name.split("."))


def queries(mapping: SourceMapping, placeholder: str) -> SourceQueries:
    """The statements that read what the mapping names."""
    columns = ", ".join(map(_column, mapping.row_fields()))
    order = ", ".join(map(_column, [mapping.conversation, *mapping.order]))
    table = quoted_name(mapping.source)
    return SourceQueries(
        f"SELECT * FROM {table} LIMIT 0",
        f"SELECT {columns} FROM {table} ORDER BY {order}",
        f"SELECT count(*) FROM {table}",
        _owner_query(mapping.owners, placeholder) if mapping.owners else "",
    )


def check_columns(mapping: SourceMapping, there: Sequence[str], is_same: Callable[[str], str] = str) -> None:
    """Raise InvalidInput for a column that the table does not have: SQLite would take its name for a text."""
    known = {is_same(name) for name in there}
    for field in mapping.row_fields():
        if is_same(field) not in known:
            raise InvalidInput("--mapping", f"the table {mapping.source} has no column {field!r}, only {list(there)}")
    if not mapping.order:
        raise InvalidInput("--mapping", "must name in `order` the columns by which a conversation's rows are sorted")


def _owner_query(owners: OwnerMapping, placeholder: str) -> str:
    columns = ", ".join(map(_column, owner_fields(owners)))
    return f"SELECT {columns} FROM {quoted_name(owners.source)} WHERE {_column(owners.conversation)} = {placeholder}"


def _column(field: str) -> str:
    return quoted_name(field.partition(".")[0])
