"""`recuerdo doctor`: examines what a server needs."""

import asyncio

import typer

from recuerdo.app.doctor import Diagnosis, examine
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.terminal import print_found


def doctor(
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
    durability: flags.Durability = None,
    spool: flags.Spool = None,
    model: flags.Model = None,
    model_base_url: flags.ModelBaseUrl = None,
    embeddings: flags.Embeddings = None,
) -> None:
    """Examine what a server needs: database, cache, models, disk, address."""
    given = {name: value for name, value in locals().items() if name != "json"}
    findings = asyncio.run(_all(given))
    rows = [(each.state, each.name, f"{each.detail}\n{each.advice}".strip()) for each in findings]
    print_found(json, [each._asdict() for each in findings], ("", "", ""), rows)
    if any(each.state == "failed" for each in findings):
        raise typer.Exit(1)


async def _all(given: dict[str, str | None]) -> list[Diagnosis]:
    return [each async for each in examine(read_settings(**given))]
