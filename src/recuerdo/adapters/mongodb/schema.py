"""What a MongoDB database's collections lack: indexes are all that they have of a schema."""

from pymongo.errors import PyMongoError

from recuerdo.adapters.mongodb.connection import DEFAULT_DATABASE, new_client
from recuerdo.adapters.mongodb.failures import translate
from recuerdo.adapters.mongodb.indexes import INDEXES

_MILLISECONDS = 5000


async def pending(url: str) -> list[str]:
    """The indexes that are missing. Changes nothing. Raises ConfigurationError or DatabaseUnavailable."""
    try:
        async with new_client(url, _MILLISECONDS) as client:
            database = client.get_default_database(DEFAULT_DATABASE)
            there = {name: await database[name].index_information() for name in INDEXES}
    except PyMongoError as error:
        raise translate(error) from error
    wanted = [(name, index.document["name"]) for name, indexes in INDEXES.items() for index in indexes]
    return [f"index {index} of {name}" for name, index in wanted if index not in there[name]]
