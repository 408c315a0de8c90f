"""`recuerdo cache`: the shared cache."""

import asyncio
from collections import Counter
from typing import Annotated

import typer

from recuerdo.app.operations import cache_statistics, open_rebuild
from recuerdo.app.settings import read_settings
from recuerdo.cli.options import AnyUser, AsJson, CacheUrl, Database
from recuerdo.cli.terminal import ask, print_json, print_table, progress_bar, say
from recuerdo.core.caches import CacheStatistics
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.scope import check_id
from recuerdo.history.caches import RATE, CacheRebuild
from recuerdo.history.iteration import OwnerFilter

app = typer.Typer(no_args_is_help=True)


@app.command()
def rebuild(
    tenant: Annotated[str, typer.Option(help="The tenant.")],
    user: AnyUser = None,
    rate: Annotated[float, typer.Option(min=0.1, help="The maximum number of threads per second.")] = RATE,
    database_url: Database = None,
    cache_url: CacheUrl = None,
) -> None:
    """Fill the cache with a tenant's threads. An interrupted rebuild can be repeated."""
    check_id("--tenant", tenant)
    settings = read_settings(database_url=database_url, cache_url=cache_url)
    opening = open_rebuild(settings.database_url, _named(settings.cache_url))
    counts = ask(opening, lambda opened: _rebuild(opened, OwnerFilter(tenant, user), rate))
    say(f"Filled {counts['filled']} entries; {counts['fresh']} were fresh, {counts['busy']} are being changed.")


@app.command()
def stats(cache_url: CacheUrl = None, json: AsJson = False) -> None:
    """Show how full the cache is, and its hit rate."""
    found = asyncio.run(cache_statistics(_named(read_settings(cache_url=cache_url).cache_url)))
    if json:
        print_json(found._asdict() | {"hit_rate": found.hit_rate})
    else:
        print_table(("", ""), _rows(found))


async def _rebuild(opened: CacheRebuild, choice: OwnerFilter, rate: float) -> Counter[str]:
    counts: Counter[str] = Counter()
    with progress_bar("Filling") as bar:
        async for each in opened.rebuild(choice, rate):
            counts[each.outcome] += 1
            bar.show(f"{counts.total()} threads")
    return counts


def _named(url: str | None) -> str:
    if url is None:
        raise ConfigurationError("There is no shared cache. Name it with --cache-url or RECUERDO_CACHE_URL.")
    return url


def _rows(found: CacheStatistics) -> list[tuple[str, object]]:
    rate = "-" if found.hit_rate is None else f"{found.hit_rate:.1%}"
    limit = f" of {_mebibytes(found.most_bytes)}" if found.most_bytes else ""
    return [
        ("threads", found.threads),
        ("memory", f"{_mebibytes(found.used_bytes)}{limit}"),
        ("hit rate", f"{rate} of {found.hits + found.misses} lookups"),
        ("evicted", found.evicted),
        ("expired", found.expired),
        ("nodes", found.nodes),
    ]


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"
