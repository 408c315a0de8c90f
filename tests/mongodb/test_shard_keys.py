"""A sharded MongoDB finds what it needs by the tenant: every index begins with it, or is known not to."""

import pytest

from recuerdo.adapters.mongodb.indexes import INDEXES

UNSHARDED = {"api_keys": {"digest"}, "data_keys": {"id"}}
"""Unique indexes without a tenant: these collections stay on one shard."""

BY_TIME = {"erasing.since", "dirty", "changed", "expires_at", "spent_at", "at", "kind", "gone_at", "pending.since"}
"""Fields by which sweepers search all tenants: times, and marks of work that was interrupted."""


@pytest.mark.parametrize("collection", INDEXES)
def test_every_index_begins_with_the_tenant_or_is_a_sweepers(collection):
    for index in INDEXES[collection]:
        first = next(iter(index.document["key"]))
        if index.document.get("unique"):
            assert first == "tenant" or first in UNSHARDED.get(collection, ()), index.document["name"]
        else:
            assert first == "tenant" or first in BY_TIME, index.document["name"]
