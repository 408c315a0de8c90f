"""The LangGraph API: the routes that its clients call, at the root."""

from recuerdo.server.routes.langgraph import assistants, crons, protocol, runs, stateless, states, store, threads

routers = (
    assistants.router,
    threads.router,
    states.router,
    protocol.router,
    crons.router,
    runs.router,
    stateless.router,
    store.router,
)
