"""Flags that several commands have. One that is not given leaves its setting to the environment."""

from typing import Annotated

import typer

LOCAL_TENANT = "default"
LOCAL_USER = "local"
"""Who the command line and the page act as, unless they are told otherwise."""

Database = Annotated[str | None, typer.Option("--database-url", help="Where everything durable lives.")]
CacheUrl = Annotated[str | None, typer.Option("--cache-url", help="The Redis that replicas share.")]
Durability = Annotated[str | None, typer.Option(help="When an append is acknowledged: sync or async.")]
Spool = Annotated[str | None, typer.Option(help="The folder of what durability async has acknowledged.")]
Model = Annotated[str | None, typer.Option(help="Who answers: offline, or provider:model.")]
ModelBaseUrl = Annotated[str | None, typer.Option(help="A server that speaks the OpenAI protocol.")]
Embeddings = Annotated[str | None, typer.Option(help="What finds memories: auto, none, offline or provider:model.")]

File = Annotated[str, typer.Argument(help="The file, compressed if its name ends in .gz; - is standard input/output.")]
AnyTenant = Annotated[str | None, typer.Option("--tenant", help="Only this tenant's threads.")]
AnyUser = Annotated[str | None, typer.Option("--user", help="Only this user's threads.")]
AnyThread = Annotated[str | None, typer.Option("--thread", help="Only threads of this id.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
