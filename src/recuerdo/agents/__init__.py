"""Conversation with people: the chat, its prompt, and the offline model."""
