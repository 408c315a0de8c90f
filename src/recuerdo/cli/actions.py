"""`recuerdo actions`: dead letters."""

from typing import Annotated, Any

import typer

from recuerdo.actions.records import ActionRecord
from recuerdo.app.operations import open_actions
from recuerdo.app.settings import read_settings
from recuerdo.cli.options import LOCAL_TENANT, LOCAL_USER, AsJson, Database
from recuerdo.cli.terminal import ask, print_json, print_table, say
from recuerdo.core.scope import Owner

app = typer.Typer(no_args_is_help=True)


@app.command()
def dead(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's user, with --user.")] = None,
    user: Annotated[str, typer.Option(help="Only this user, with --tenant.")] = LOCAL_USER,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The maximum number.")] = 50,
    json: AsJson = False,
    database_url: Database = None,
) -> None:
    """List dead letters, of all tenants unless one is named."""
    owner = Owner(tenant, user) if tenant is not None else None
    opening = open_actions(read_settings(database_url=database_url).database_url)
    letters = ask(opening, lambda actions: actions.dead_letters(owner, limit))
    if json:
        print_json([_described(letter) for letter in letters])
    else:
        columns = ("action", "queue", "tenant", "user", "thread", "attempts", "died", "error")
        print_table(columns, [[*_described(letter).values()] for letter in letters])


@app.command()
def retry(
    action: Annotated[str, typer.Argument(help="The action's id, as `recuerdo actions dead` shows it.")],
    tenant: Annotated[str, typer.Option(help="The action's tenant.")] = LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="The action's user.")] = LOCAL_USER,
    database_url: Database = None,
) -> None:
    """Return a dead letter to its queue."""
    opening, owner = open_actions(read_settings(database_url=database_url).database_url), Owner(tenant, user)
    ask(opening, lambda actions: actions.retry(owner, action))
    say(f"The action {action} waits for a worker again.")


def _described(letter: ActionRecord) -> dict[str, Any]:
    action, result = letter.payload, letter.result
    return {
        "action": action.action_id,
        "queue": letter.queue,
        "tenant": action.tenant,
        "user": action.user,
        "thread": action.thread,
        "attempts": letter.attempts,
        "died_at": f"{letter.due:%Y-%m-%d %H:%M} UTC",
        "error": (result.error if result else None) or "",
    }
