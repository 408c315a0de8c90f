"""Who has documents in a collection, a page at a time."""

from recuerdo.adapters.mongodb.connection import Collection, Document
from recuerdo.core.scope import Owner


async def owners_in(
    collection: Collection, wanted: Document, tenant: str | None, limit: int, after: Owner | None
) -> list[tuple[str, str]]:
    """Tenants and users of the wanted documents, in their order: of one tenant, or of all with None."""
    query: Document = wanted if tenant is None else {**wanted, "tenant": tenant}
    if after is not None:
        behind = [{"tenant": {"$gt": after.tenant}}, {"tenant": after.tenant, "user": {"$gt": after.user}}]
        query = {**query, "$or": behind}
    steps: list[Document] = [
        {"$match": query},
        {"$group": {"_id": {"tenant": "$tenant", "user": "$user"}}},
        {"$sort": {"_id.tenant": 1, "_id.user": 1}},
        {"$limit": limit},
    ]
    found = await (await collection.aggregate(steps)).to_list()
    return [(each["_id"]["tenant"], each["_id"]["user"]) for each in found]
