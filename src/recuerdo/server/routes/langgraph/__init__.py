"""The LangGraph API: the routes that its clients call, at the root."""

from recuerdo.server.routes.langgraph import assistants, crons, protocol, runs, store, threads

busiest = threads.states

routers = (
    crons.router,  # before runs: /runs/crons is not a run
    runs.router,
    protocol.router,
    threads.router,
    assistants.router,
    store.router,
)
