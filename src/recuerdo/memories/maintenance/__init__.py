"""Work on memories that no request waits for: expiry, audits, summaries, and extraction by a model."""
