"""What talks to people: the chat, its prompt, and the offline model."""
