"""`recuerdo demo`: the world that it tells of, by the command and by what is remembered afterwards."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from operations.operating import ran, refused
from recuerdo import Recuerdo
from recuerdo.app.demo import demo_threads, read_world
from recuerdo.encryption.ciphers import new_master_key

_END = datetime(2026, 11, 24, tzinfo=UTC)


def test_two_hundred_threads_over_two_years_in_three_languages() -> None:
    world = read_world()
    threads = demo_threads(world, _END)
    assert len(threads) == 200
    assert {person.language for person in world.people} == {"es", "pt", "en"}
    assert len({person.tenant for person in world.people}) == 2
    assert threads == demo_threads(world, _END)
    assert _END - timedelta(days=731) < threads[0].at < threads[-1].at <= _END + timedelta(days=5)
    told = [text for each in threads for text in each.messages]
    assert all(text in told for person in world.people for _, text in person.facts)


async def test_the_command_encrypts_a_world_in_which_people_have_moved_and_tools_are_not_believed(
    tmp_path: Path,
) -> None:
    key = new_master_key()
    settings = {"RECUERDO_EMBEDDINGS": "none", "RECUERDO_ENCRYPTION_KEY": key, "RECUERDO_MODEL": "openai:gpt-5-mini"}
    ran(tmp_path, "demo", **settings)
    assert not _holds(tmp_path, b"Porto")
    async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", encryption_key=key) as memory:
        user = memory.user(tenant="default", user="local")
        cities = {each.value for each in await user.list() if each.attribute == "city"}
        then = await user.as_of(datetime.now(UTC) - timedelta(days=600))
        waiting = await user.list(status="quarantined")
        shared = await memory.tenant(tenant="acme").list()
    assert cities == {"Porto"}
    assert "Lima" in {each.value for each in then}
    assert waiting
    assert len(shared) == 1
    assert "already" in refused(tmp_path, "demo", **settings)


def _holds(folder: Path, text: bytes) -> bool:
    """Whether the database's files have the text."""
    return any(text in file.read_bytes() for file in folder.glob("a.db*"))
