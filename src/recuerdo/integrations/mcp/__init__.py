"""MCP: a user's memories and history as tools of any agent that speaks the Model Context Protocol.

`tools` has the server, and needs the protocol's library; `endpoint` loads it when it is asked for the first time.
"""
