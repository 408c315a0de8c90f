"""The flags and arguments that commands share, and their defaults."""

from typing import Annotated

import typer

LOCAL_TENANT = "default"
LOCAL_USER = "local"
"""The default owner on the command line and on the page."""

Database = Annotated[str | None, typer.Option("--database-url", help="The database.")]
CacheUrl = Annotated[str | None, typer.Option("--cache-url", help="The shared cache: redis://...")]
Durability = Annotated[str | None, typer.Option(help="When an append is acknowledged: sync or async.")]
Spool = Annotated[str | None, typer.Option(help="The folder of the spool.")]
Model = Annotated[str | None, typer.Option(help="The chat model: offline, or provider:model.")]
ModelBaseUrl = Annotated[str | None, typer.Option(help="The address of a server that speaks the OpenAI protocol.")]
Embeddings = Annotated[str | None, typer.Option(help="The embedding model: auto, none, offline or provider:model.")]
Tenant = Annotated[str, typer.Option(help="The tenant.")]
User = Annotated[str, typer.Option(help="The user.")]
File = Annotated[str, typer.Argument(help="The file, compressed if its name ends in .gz; - is standard input/output.")]
AnyTenant = Annotated[str | None, typer.Option("--tenant", help="Only this tenant.")]
AnyUser = Annotated[str | None, typer.Option("--user", help="Only this user.")]
AnyThread = Annotated[str | None, typer.Option("--thread", help="Only threads with this id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="The maximum number.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report what would be deleted.")]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]
LogLevel = Annotated[str | None, typer.Option(help="debug, info, warning or error.")]
LogFormat = Annotated[str | None, typer.Option(help="console or json.")]
