"""The audit log: what was recorded is there, for its tenant, until its time is over."""

from datetime import timedelta

from msgspec.structs import replace

from recuerdo.core.audit import SERVER_TENANT, AuditEntry, AuditPlace, AuditQuery
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import AuditRepository
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import fresh_owner

MINUTE = timedelta(minutes=1)
LONG_AGO = NOON - timedelta(days=10_000)
"""Long before what other tests store."""


def recorded(owner: Owner, minute: int = 0, action: str = "key.created") -> AuditEntry:
    return AuditEntry(id=new_id(), at=NOON + minute * MINUTE, tenant=owner.tenant, actor=owner.user, action=action)


class AuditContract(AsNewTenant):
    """Everything that an AuditRepository must hold. Needs the fixture `audit`."""

    async def test_audit_every_field(self, audit: AuditRepository, owner: Owner) -> None:
        """An entry comes back as it was stored, and so does one that says no more than it must."""
        whole = replace(
            recorded(owner, 1),
            role="admin",
            target="ñ '; DROP TABLE audit; --",
            address="2001:db8::1",
            request_id="r-1",
            details={"how": "complete", "ü": '"\\'},
        )
        least = recorded(owner)
        await audit.append([least, whole])
        assert await audit.select(owner.tenant, AuditQuery()) == [whole, least]

    async def test_audit_of_tenants(self, audit: AuditRepository, owner: Owner) -> None:
        """Entries of several tenants are stored together, and each tenant has its own; so has the server."""
        entries = [recorded(each) for each in (owner, fresh_owner(), Owner(f"{owner.tenant} ", owner.user))]
        servers = replace(recorded(owner, action="authentication.failed"), tenant=SERVER_TENANT, actor="")
        await audit.append([*entries, servers])
        for entry in entries:
            assert await audit.select(entry.tenant, AuditQuery()) == [entry]
        assert servers in await audit.select(SERVER_TENANT, AuditQuery(1000))

    async def test_audit_stays_as_it_was(self, audit: AuditRepository, owner: Owner) -> None:
        """An entry that is sent again, as after a lost reply, is there once, and stays as it was first sent."""
        entry = recorded(owner)
        await audit.append([entry])
        await audit.append([replace(entry, actor="another actor"), other := recorded(owner, -1)])
        assert await audit.select(owner.tenant, AuditQuery()) == [entry, other]

    async def test_audit_in_pages(self, audit: AuditRepository, owner: Owner) -> None:
        """Pages have the latest first, and those of the same moment by their ids downwards, each once."""
        entries = [recorded(owner, minute) for minute in (3, 1, 1, 1, 2, 0)]
        await audit.append(entries)
        expected = sorted(entries, key=lambda each: (each.at, each.id), reverse=True)
        found: list[AuditEntry] = []
        before = None
        while page := await audit.select(owner.tenant, AuditQuery(2, before)):
            assert len(page) <= 2
            found += page
            before = AuditPlace.parse(page[-1].cursor)
        assert found == expected

    async def test_audit_filters(self, audit: AuditRepository, owner: Owner) -> None:
        """Times, actors and actions narrow a list down; a time is in the list from which it begins."""
        ana = Owner(owner.tenant, "ana")
        await audit.append(
            [recorded(owner), recorded(owner, 1), recorded(ana, 2), recorded(owner, 3, action="key.revoked")]
        )
        for query, minutes in (
            (AuditQuery(since=NOON + MINUTE), [3, 2, 1]),
            (AuditQuery(until=NOON + MINUTE), [0]),
            (AuditQuery(since=NOON + MINUTE, until=NOON + 3 * MINUTE), [2, 1]),
            (AuditQuery(actor="ana"), [2]),
            (AuditQuery(action="key.revoked"), [3]),
            (AuditQuery(action="key.revoked", actor="ana"), []),
            (AuditQuery(limit=1, action="key.created"), [2]),
            (AuditQuery(limit=2, skip=1), [2, 1]),
            (AuditQuery(skip=1, action="key.created"), [1, 0]),
        ):
            found = await audit.select(owner.tenant, query)
            assert [(each.at - NOON) // MINUTE for each in found] == minutes, query

    async def test_audit_swept(self, audit: AuditRepository, owner: Owner) -> None:
        """Entries of all tenants that are older than a time are removed in batches; the others stay."""
        owners = [owner, fresh_owner(), fresh_owner()]
        old = [replace(recorded(each), at=LONG_AGO) for each in owners]
        stays = replace(recorded(owner), at=LONG_AGO + timedelta(microseconds=1))
        await audit.append([*old, stays])
        assert [await audit.sweep(stays.at, 2) for _ in range(3)] == [2, 1, 0]
        assert await audit.select(owner.tenant, AuditQuery()) == [stays]
        assert await audit.sweep(stays.at + timedelta(microseconds=1), 10) == 1
