"""The synchronous client.

Made by scripts/client_types.py from the asynchronous client: change that, and run it again.
"""
