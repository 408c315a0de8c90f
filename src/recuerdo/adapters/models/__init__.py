"""Models: chat, embeddings and tokens."""
