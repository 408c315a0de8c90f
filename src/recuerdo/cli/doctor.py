"""`recuerdo doctor`: examines what a server needs."""

import asyncio

import typer

from recuerdo.app.doctor import Diagnosis, examine
from recuerdo.app.settings import read_settings
from recuerdo.cli.terminal import (
    AsJson,
    CacheUrl,
    Database,
    Durability,
    Embeddings,
    Model,
    ModelBaseUrl,
    Spool,
    print_json,
    print_table,
)


def doctor(
    json: AsJson = False,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    durability: Durability = None,
    spool: Spool = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
) -> None:
    """Examine what a server needs: database, cache, models, disk, address."""
    flags = {name: value for name, value in locals().items() if name != "json"}
    findings = asyncio.run(_all(flags))
    if json:
        print_json([each._asdict() for each in findings])
    else:
        print_table(
            ("", "", ""), [(each.state, each.name, f"{each.detail}\n{each.advice}".strip()) for each in findings]
        )
    if any(each.state == "failed" for each in findings):
        raise typer.Exit(1)


async def _all(flags: dict[str, str | None]) -> list[Diagnosis]:
    return [each async for each in examine(read_settings(**flags))]
