"""`recuerdo docs`: the documents that agents search."""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server
from recuerdo.cli.terminal import ask, counted, print_found, print_outcome, progress_bar
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.library import DEFAULT_COLLECTION, Access
from recuerdo.core.scope import check_id
from recuerdo.library.reading import KINDS

app = typer.Typer(no_args_is_help=True)

Collection = Annotated[str, typer.Option(help="The collection to add them to.")]


class _AddedDocuments(NamedTuple):
    added: int
    unchanged: int
    refused: list[str]


@app.command()
def add(
    paths: Annotated[list[Path], typer.Argument(help="Files, and folders with files: text, Markdown, HTML, PDF.")],
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    collection: Collection = DEFAULT_COLLECTION,
    public: Annotated[bool, typer.Option("--public", help="Also make them available to the anonymous user.")] = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    embeddings: flags.Embeddings = None,
) -> None:
    """Add files. Unchanged files are skipped, changed ones replace their old version."""
    check_id("--tenant", tenant)
    files = [file for path in paths for file in _files(path)]
    access = "public" if public else "tenant"
    settings = read_settings(database_url=database_url, embeddings=embeddings)
    outcome = ask(open_beside_server(settings), lambda memory: _add(memory, tenant, files, collection, access))
    sentence = f"Added {counted(outcome.added, 'document')}; {outcome.unchanged} had not changed."
    print_outcome(json, outcome._asdict(), "\n".join([sentence, *outcome.refused]))
    if outcome.refused:
        raise typer.Exit(1)


@app.command("list")
def list_documents(
    tenant: flags.Tenant = flags.LOCAL_TENANT, json: flags.AsJson = False, database_url: flags.Database = None
) -> None:
    """List documents, the latest first."""
    found = ask(_opening(database_url), lambda memory: memory.library.documents(tenant))
    rows = [(each.id, each.collection, each.access, each.chunks, f"{each.title}\n{each.source}") for each in found]
    print_found(json, found, ("id", "collection", "access", "chunks", "title, source"), rows)


@app.command()
def remove(
    documents: Annotated[list[str], typer.Argument(help="Ids or paths of documents.")],
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Remove documents."""
    removed = ask(_opening(database_url), lambda memory: _remove(memory, tenant, documents))
    print_outcome(json, {"removed": removed}, f"Removed {counted(removed, 'document')}.")


def _opening(database_url: str | None) -> AbstractAsyncContextManager[Recuerdo]:
    return open_beside_server(read_settings(database_url=database_url, embeddings="none"))


async def _add(memory: Recuerdo, tenant: str, files: list[Path], collection: str, access: Access) -> _AddedDocuments:
    added, refused = 0, list[str]()
    with progress_bar("Adding", total=max(1, len(files))) as bar:
        for number, file in enumerate(files, 1):
            try:
                content = await asyncio.to_thread(file.read_bytes)
                done = await memory.library.add(tenant, _source(file), content, collection=collection, access=access)
                if done.changed:
                    added += 1
                    action = "document.replaced" if done.replaced else "document.added"
                    memory.audit.record_command(action, tenant, done.document.id, collection=collection, access=access)
            except (InvalidInput, OSError) as error:
                refused.append(f"{file}: {error}")
            bar.show(file.name, number)
    return _AddedDocuments(added, len(files) - added - len(refused), refused)


async def _remove(memory: Recuerdo, tenant: str, documents: list[str]) -> int:
    known = await memory.library.documents(tenant)
    ids: list[str] = []
    for wanted in documents:
        found = [each.id for each in known if wanted == each.id or _source(Path(wanted)) == each.source]
        if not found:
            raise NotFound("document", wanted)
        ids += found
    for each in ids:
        await memory.library.remove(tenant, each)
        memory.audit.record_command("document.removed", tenant, each)
    return len(ids)


def _files(path: Path) -> Iterator[Path]:
    """The file, or the readable files of a folder. Raises InvalidInput."""
    if path.is_dir():
        yield from sorted(file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in KINDS)
    elif path.is_file():
        yield path
    else:
        raise InvalidInput("PATH", f"there is no file or folder {path}")


def _source(file: Path) -> str:
    """The absolute path, which doesn't depend on the current folder."""
    return str(file.resolve())
